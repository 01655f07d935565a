import { parseJson, type Reply } from '../../../adapters/http.ts';
import { absent, found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { calendarMs } from '../../../kernel/work.ts';
import { rejectedOurKey } from './rejections.ts';
import type { OrderType } from './signal-types.ts';

/** An object of untrusted JSON. Read every member with one of the readers below. */
export type Fields = Record<string, unknown>;

/** The object, or null for any other value, including arrays. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null; // as: just proven

/** A number that doubles hold exactly, given as a number or as a numeric string. Null for any other value, and for any larger one. */
export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : null;
};

/** The size of an account in USD. Null for any other value, and for one that no account has. */
export const sizeOf = (value: unknown): number | null => {
  const size = numberOf(value);
  return size !== null && size > 0 ? size : null;
};

/** A limit, which is 0 or more. Null for any other value: an order would exceed one below 0. */
export const limitOf = (value: unknown): number | null => {
  const limit = numberOf(value);
  return limit !== null && limit >= 0 ? limit : null;
};

/** A time in epoch ms that RFC 3339 can express, given as a number or as a numeric string. Null for any other value. */
export const timeMsOf = (value: unknown): number | null => calendarMs(numberOf(value));

/** A non-empty string, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Whether a member names something else than was asked for. One that names nothing says nothing. */
export const namesAnother = (named: unknown, asked: string): boolean =>
  (textOf(named) ?? asked).toLowerCase() !== asked.toLowerCase();

/** The first present member among `names`: the venue uses several names for the same field. */
export const anyOf = (fields: Fields, ...names: string[]): unknown => {
  const name = names.find((candidate) => fields[candidate] !== undefined && fields[candidate] !== null);
  return name === undefined ? null : fields[name];
};

/** The number under the first of the names that is present, else null. */
export const numberIn = (fields: Fields, ...names: string[]): number | null => numberOf(anyOf(fields, ...names));

/** Members of a list (key null) or of a dictionary (with their key). Null for any other value. */
export const entriesOf = (value: unknown): [key: string | null, member: unknown][] | null => {
  if (Array.isArray(value)) return value.map((member): [null, unknown] => [null, member]);
  const fields = fieldsOf(value);
  return fields && Object.entries(fields);
};

/** 401 and 403 come from the key check, before the request has any effect; without its reason from a proxy, perhaps after that. */
export const isOurKeyRejected = (status: number): boolean => status === 401 || status === 403;

/**
 * The JSON object of a successful read, or why there is none. `absent` only for a 404 whose text says which object is missing: the page or the JSON
 * of a proxy, a route that is not there, and data that is not there yet say nothing of the object. See venues/network-validator.md#validator-rest.
 */
export const readResponse = (reply: Reply): ReadResult<Fields> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  if (isOurKeyRejected(reply.status)) return unreadable(rejectedOurKey.slug);
  if (!body) return unreadable(`unreadable body, status ${reply.status}`);
  if (reply.status === 404 && saysWhatIsMissing(body)) return absent;
  return reply.status === 200 ? found(body) : unreadable(`status ${reply.status}`);
};

const saysWhatIsMissing = ({ error, message }: Fields): boolean => {
  const text = textOf(error) ?? textOf(message);
  return text !== null && OF_AN_OBJECT.test(text) && !/not available/i.test(text);
};

/** For example "Subaccount … not found", "HL address not found", "No orders found for miner …", "not in a funded bucket". */
const OF_AN_OBJECT =
  /\b(subaccount|hotkey|entity|hl|order|payout)\b.*\b(not found|unknown|does not exist)\b|\bno (subaccounts?|orders?|payouts?)\b|\bnot in a funded bucket\b/i;

/** The wire id of a pair given as an id, a display form (`BTC/USDC`), an object, or the array of verbose payloads. */
export const readPair = (value: unknown): string | null => {
  const first = Array.isArray(value) ? value[0] : (fieldsOf(value)?.trade_pair_id ?? value);
  return textOf(first)?.replaceAll('/', '') ?? null;
};

/** Reads a side, such as `LONG`; some builds print `OrderType.LONG`. Null for any other value. */
export const readSide = (value: unknown): OrderType | null => {
  const side = textOf(value)?.split('.').pop()?.toUpperCase();
  return side === 'LONG' || side === 'SHORT' || side === 'FLAT' ? side : null;
};

/** The texts of a reason given as a string, a list, or a dictionary by validator. */
export const textsOf = (reason: unknown): string[] =>
  typeof reason === 'string' ? [reason] : (entriesOf(reason) ?? []).flatMap(([, member]) => textsOf(member));

/** Whether a body names an error. `error_messages` of older builds are those of other validators, beside a success. */
export const saysError = ({ error, error_message }: Fields): boolean =>
  [error, error_message].flatMap(textsOf).join('').trim() !== '';
