import {
  type Answer,
  accepted,
  found,
  inDoubt,
  type Lookup,
  rejected,
  unreachable,
  unreadable,
} from '../../kernel/answer.ts';
import { parseJson, type Reply } from '../http.ts';
import { readAnswer } from './answers.ts';
import { entriesOf, fieldsOf, numberOf, textOf } from './fields.ts';
import { judgeSubaccountText, refusedOurKey } from './refusals.ts';
import type { NewSubaccount, Subaccount } from './types.ts';

const refusedAtCap = rejected('trader_cap', 'The miner has as many linked traders as it may.');

/** The body of create-subaccount. Linked accounts need the account size as well. Venue facts: entity miner, subaccounts. */
export const subaccountBody = (asked: NewSubaccount): Record<string, string | number> =>
  'exAddress' in asked
    ? {
        hl_address: asked.exAddress.toLowerCase(),
        account_size: asked.accountSize,
        ...(asked.payoutAddress && { payout_address: asked.payoutAddress }),
      }
    : { asset_class: asked.assetClass, account_size: asked.accountSize };

/**
 * What the reply to a creation proves. 500, 503 and 504 come after the miner tried to reach the validator, which may
 * have made the subaccount all the same.
 */
export const createAnswer = (reply: Reply): Answer<Subaccount> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return inDoubt(reply.why);
  if (reply.status === 401) return refusedOurKey;
  if (reply.status === 403) return refusedAtCap;
  const body = fieldsOf(parseJson(reply.text));
  if (reply.status === 400 && body) return judgeSubaccountText(textOf(body.message) ?? textOf(body.error) ?? '');
  const made = reply.status === 200 && body ? readSubaccount(body.subaccount) : null;
  return made ? accepted(made) : inDoubt(`status ${reply.status} decides nothing`);
};

/**
 * Every subaccount of an entity. A list that can be read only in part is unreadable as a whole: it must never prove
 * that something is missing.
 */
export const listAnswer = (reply: Reply): Lookup<Subaccount[]> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const entity = fieldsOf(answer.said.entity) ?? answer.said;
  const subaccounts = entriesOf(entity.subaccounts)?.map(([, member]) => readSubaccount(member));
  if (!subaccounts) return unreadable('no subaccounts listed');
  const readable = subaccounts.filter((subaccount) => subaccount !== null);
  return readable.length === subaccounts.length ? found(readable) : unreadable('a listed subaccount is incomplete');
};

const readSubaccount = (value: unknown): Subaccount | null => {
  const said = fieldsOf(value) ?? {};
  const subaccountId = numberOf(said.subaccount_id);
  const syntheticHotkey = textOf(said.synthetic_hotkey);
  const assetClass = textOf(said.asset_class);
  const accountSize = numberOf(said.account_size);
  if (subaccountId === null || !syntheticHotkey || !assetClass || accountSize === null) return null;
  return {
    subaccountId,
    subaccountUuid: textOf(said.subaccount_uuid),
    syntheticHotkey,
    assetClass,
    accountSize,
    status: textOf(said.status) ?? 'unknown',
    createdMs: numberOf(said.created_at_ms),
    exAddress: textOf(said.hl_address)?.toLowerCase() ?? null,
  };
};
