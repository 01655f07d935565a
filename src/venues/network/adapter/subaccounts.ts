import { parseJson, type Reply } from '../../../adapters/http.ts';
import { isHotkey } from '../../../kernel/ids.ts';
import type { ReadResult, Rejected, UpstreamResult } from '../../../kernel/upstream-result.ts';
import {
  accepted,
  found,
  inconclusive,
  rejected,
  unknownEffect,
  unreachable,
  unreadable,
} from '../../../kernel/upstream-result.ts';
import {
  entriesOf,
  type Fields,
  fieldsOf,
  namesAnother,
  numberOf,
  readResponse,
  sizeOf,
  textOf,
  timeMsOf,
} from './fields.ts';
import { classifySubaccountText, rejectedOurKey } from './rejections.ts';
import type { ListedSubaccount, NewSubaccount, Subaccount } from './types.ts';

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
export const createResponse = (
  reply: Reply,
  requested: NewSubaccount,
  entityHotkey: string,
): UpstreamResult<Subaccount> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  const made = fieldsOf(body?.subaccount); // whatever the status is: a subaccount that is shown was created
  if (made) return createdResponse(reply.status, readSubaccount(made), { requested, entityHotkey });
  const reason = body && reasonOf(body);
  const why = `status ${reply.status} is not conclusive`;
  if (reason === null) return unknownEffect(why); // a proxy responds while the miner still works on it
  return rejectionOf(reply.status, reason) ?? inconclusive(why);
};

/** The reason in the forms of the miner and the validator, else null: the JSON of a proxy says nothing of the subaccount. */
const reasonOf = ({ status, message, error }: Fields): string | null =>
  textOf(error) ?? (status === 'error' ? textOf(message) : null);

const rejectionOf = (status: number, reason: string): Rejected | null => {
  if (status === 401 || (status === 403 && !OF_TRADERS.test(reason))) return rejectedOurKey;
  if (status === 403) return rejectedAtCap;
  return status === 400 ? classifySubaccountText(reason) : null;
};

/** The miner also rejects with 403 once it has its maximum of linked traders. */
const OF_TRADERS = /\btraders?\b/i;

const createdResponse = (
  status: number,
  made: Subaccount | null,
  { requested, entityHotkey }: { requested: NewSubaccount; entityHotkey: string },
): UpstreamResult<Subaccount> =>
  made &&
  status === 200 &&
  made.syntheticHotkey === `${entityHotkey}_${made.subaccountId}` &&
  !isAnother(made, requested)
    ? accepted(made)
    : inconclusive(`the subaccount in the response, with status ${status}, may be another`);

const isAnother = ({ exAddress, assetClass, accountSize }: Subaccount, requested: NewSubaccount): boolean =>
  'exAddress' in requested
    ? namesAnother(exAddress, requested.exAddress)
    : namesAnother(assetClass, requested.assetClass) || accountSize !== requested.accountSize;

/** Reads all subaccounts of an entity, also those with members that cannot be read. */
export const listResponse = (reply: Reply, entityHotkey: string): ReadResult<ListedSubaccount[]> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const entity = fieldsOf(response.data.entity) ?? response.data;
  if (namesAnother(entity.entity_hotkey, entityHotkey)) return unreadable('the list of another entity');
  const members = entriesOf(entity.subaccounts)?.map(([id, member]) => readListed(member, id));
  return members ? found(members) : unreadable('no subaccounts listed');
};

const readSubaccount = (value: unknown): Subaccount | null => {
  const { subaccountId, syntheticHotkey, assetClass, accountSize, ...more } = readListed(value);
  if (subaccountId === null || syntheticHotkey === null || assetClass === null || accountSize === null) return null;
  return { subaccountId, syntheticHotkey, assetClass, accountSize, ...more };
};

/** `id`: the key of the subaccount, if the list is a dictionary. Orders name it by its number, reads by its hotkey, which ends with the number. */
const readListed = (value: unknown, id: string | null = null): ListedSubaccount => {
  const data = fieldsOf(value) ?? {};
  const subaccountId = idOf(data.subaccount_id) ?? idOf(id);
  const hotkey = textOf(data.synthetic_hotkey);
  const isIts = hotkey !== null && isHotkey(hotkey) && (subaccountId === null || hotkey.endsWith(`_${subaccountId}`));
  return {
    subaccountId,
    subaccountUuid: textOf(data.subaccount_uuid),
    syntheticHotkey: isIts ? hotkey : null,
    assetClass: textOf(data.asset_class),
    accountSize: sizeOf(data.account_size),
    status: textOf(data.status) ?? 'unknown',
    createdMs: timeMsOf(data.created_at_ms),
    exAddress: textOf(data.hl_address)?.toLowerCase() ?? null,
  };
};

const HIGHEST_ID = 2_147_483_647;

/** The number of a subaccount, else null. */
const idOf = (value: unknown): number | null => {
  const id = numberOf(value);
  return id !== null && Number.isInteger(id) && id >= 0 && id <= HIGHEST_ID ? id : null;
};
