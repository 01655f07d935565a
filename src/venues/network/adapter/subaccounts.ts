import { parseJson, type Reply } from '../../../adapters/http.ts';
import type { ReadResult, UpstreamResult } from '../../../kernel/upstream-result.ts';
import {
  accepted,
  found,
  inconclusive,
  rejected,
  unknownEffect,
  unreachable,
  unreadable,
} from '../../../kernel/upstream-result.ts';
import { entriesOf, fieldsOf, numberOf, textOf, timeMsOf } from './fields.ts';
import { readResponse } from './orders.ts';
import { classifySubaccountText, rejectedOurKey } from './rejections.ts';
import type { NewSubaccount, Subaccount, SubaccountStatus } from './types.ts';

const rejectedAtCap = rejected('trader_cap', 'The miner has reached its maximum number of linked traders.');

/**
 * The body of create-subaccount. Linked accounts also need the account size. See venues/network.md#subaccounts.
 */
export const subaccountBody = (requested: NewSubaccount): Record<string, string | number> =>
  'exAddress' in requested
    ? {
        hl_address: requested.exAddress.toLowerCase(),
        account_size: requested.accountSize,
        ...(requested.payoutAddress && { payout_address: requested.payoutAddress }),
      }
    : { asset_class: requested.assetClass, account_size: requested.accountSize };

/**
 * Classifies the reply to a creation. The miner sends 500, 503 and 504 after it tried to reach the validator, which may
 * have created the subaccount.
 */
export const createResponse = (reply: Reply): UpstreamResult<Subaccount> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  if (reply.status === 401) return rejectedOurKey;
  const body = fieldsOf(parseJson(reply.text));
  if (reply.status === 403) return body ? rejectedAtCap : rejectedOurKey; // a page is a proxy's, which knows nothing of traders
  if (reply.status === 400 && body) return classifySubaccountText(textOf(body.message) ?? textOf(body.error) ?? '');
  const made = reply.status === 200 && body ? readSubaccount(body.subaccount) : null;
  if (made) return accepted(made);
  const why = `status ${reply.status} is not conclusive`;
  return body ? inconclusive(why) : unknownEffect(why); // a proxy responds while the miner still works on it
};

/**
 * Reads all subaccounts of an entity. A partly readable list is unreadable as a whole: it must never prove that a
 * subaccount is missing.
 */
export const listResponse = (reply: Reply): ReadResult<Subaccount[]> => {
  const listed = readMembers(reply);
  if (listed.kind !== 'found') return listed;
  const readable = listed.data.map(readSubaccount).filter((subaccount) => subaccount !== null);
  return readable.length === listed.data.length ? found(readable) : unreadable('a listed subaccount is incomplete');
};

/** Reads the statuses of an entity's subaccounts, by hotkey: whatever one lacks, the others have theirs. */
export const statusesResponse = (reply: Reply): ReadResult<SubaccountStatus[]> => {
  const listed = readMembers(reply);
  if (listed.kind !== 'found') return listed;
  return found(
    listed.data.flatMap((member) => {
      const [syntheticHotkey, status] = [textOf(fieldsOf(member)?.synthetic_hotkey), textOf(fieldsOf(member)?.status)];
      return syntheticHotkey && status ? [{ syntheticHotkey, status }] : [];
    }),
  );
};

const readMembers = (reply: Reply): ReadResult<unknown[]> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const entity = fieldsOf(response.data.entity) ?? response.data;
  const members = entriesOf(entity.subaccounts)?.map(([, member]) => member);
  return members ? found(members) : unreadable('no subaccounts listed');
};

const readSubaccount = (value: unknown): Subaccount | null => {
  const data = fieldsOf(value) ?? {};
  const subaccountId = numberOf(data.subaccount_id);
  const syntheticHotkey = textOf(data.synthetic_hotkey);
  const assetClass = textOf(data.asset_class);
  const accountSize = numberOf(data.account_size);
  if (subaccountId === null || !syntheticHotkey || !assetClass || accountSize === null) return null;
  return {
    subaccountId,
    subaccountUuid: textOf(data.subaccount_uuid),
    syntheticHotkey,
    assetClass,
    accountSize,
    status: textOf(data.status) ?? 'unknown',
    createdMs: timeMsOf(data.created_at_ms),
    exAddress: textOf(data.hl_address)?.toLowerCase() ?? null,
  };
};
