import { parseJson, type Reply } from '../../../adapters/http.ts';
import { compare } from '../../../kernel/decimals.ts';
import {
  accepted,
  type Rejected,
  type UpstreamResult,
  unknownEffect,
  unreachable,
} from '../../../kernel/upstream-result.ts';
import type { ItemResult, Posted } from './action-types.ts';
import { fieldsOf, hexOf, integerOf, positiveOf, textOf } from './fields.ts';
import { classifyActionText, classifyItemText, rejectedForForm, rejectedForRate, saysExpired } from './rejections.ts';

/** What was sent: the items that the venue reports on individually, with their client ids and sizes, null where they have none. */
export type SentRequest = { items: readonly SentItem[]; firstSend: boolean };

/** An item of an action. */
export type SentItem = { cloid: string | null; size: string | null };

/** Pause after a 429 without `Retry-After`. The budget is per minute, so a sixth of it is available again by then. */
const PAUSE_S = 10;
/** The budget is per minute: a longer pause, which a proxy may ask for, has nothing to do with it and would hold up everybody's orders. */
const LONGEST_PAUSE_S = 60;

/**
 * Classifies the reply to a posted action. Rejections by 422 and 429 in the venue's form, by a text of it or per item are definite. If the same bytes
 * may have arrived before, only results per item are: the venue executes a nonce once, so it has executed the bytes now.
 * Everything else leaves the action in doubt. See venues/exchange.md#errors.
 */
export const postResponse = (reply: Reply, { items, firstSend }: SentRequest): UpstreamResult<Posted> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  const response = readReply(reply, items);
  if (firstSend || response.kind === 'accepted' || response.kind === 'unknown' || isExecuted(reply)) return response;
  return unknownEffect(`a repeat was rejected: ${response.kind === 'rejected' ? response.slug : response.why}`);
};

const isExecuted = ({ text }: Extract<Reply, { kind: 'response' }>) => fieldsOf(parseJson(text))?.status === 'ok';

/** Seconds to wait after a 429: as many as the venue says, a minute at most. */
export const pauseOf = (headers: { 'retry-after'?: string | undefined }): number => {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), LONGEST_PAUSE_S) : PAUSE_S;
};

const readReply = (
  reply: Extract<Reply, { kind: 'response' }>,
  items: SentRequest['items'],
): UpstreamResult<Posted> => {
  const body = fieldsOf(parseJson(reply.text));
  if (PLAIN.test(reply.text) && reply.status === 429) return rejectedForRate(pauseOf(reply.headers));
  if (PLAIN.test(reply.text) && reply.status === 422) return rejectedForForm;
  if (reply.status !== 200 || !body) return unknownEffect(`status ${reply.status} is not conclusive`);
  if (body.status === 'err') return readRejection(body.response);
  if (body.status !== 'ok') return unknownEffect('unknown status of the action');
  if (items.length > 0) return readStatuses(body.response, items);
  const type = textOf(fieldsOf(body.response)?.type) ?? NO_ITEMS;
  return type === NO_ITEMS ? accepted({ items: [] }) : unknownEffect('the response is about another action');
};

/**
 * The venue rejects a malformed body in plain text, and a rate in plain text or `null`. A page, an object or nothing comes from a proxy, which may
 * also send it after the venue has acted. See venues/exchange.md#transport.
 */
const PLAIN = /^\s*[^\s<{["]/;

/** The type of the response to an action without items. See venues/exchange.md#actions. */
const NO_ITEMS = 'default';

/** Expired bytes were never executed, so the action may be signed and sent anew. */
const readRejection = (reason: unknown): UpstreamResult<Posted> => {
  const text = textOf(reason) ?? '';
  if (saysExpired(text)) return unreachable('EXPIRED');
  return classifyActionText(text) ?? unknownEffect('the reason given by the venue is not conclusive');
};

/**
 * A single rejection for several items: the venue found it in its first check and rejected the whole action. That an order is gone is found for each
 * item by itself.
 */
const readStatuses = (response: unknown, sent: SentRequest['items']): UpstreamResult<Posted> => {
  const statuses = fieldsOf(fieldsOf(response)?.data)?.statuses;
  if (!Array.isArray(statuses)) return unknownEffect('the response lists no items');
  const items = statuses.map(readItem);
  const [first] = items;
  if (items.length === 1 && first?.kind === 'rejected' && (sent.length === 1 || first.slug !== 'order_gone'))
    return first;
  if (items.length !== sent.length || items.some((item, n) => isAnother(item, sent[n])))
    return unknownEffect('the response lists other items');
  return sameRejection(items) ?? (items.some(isDone) ? accepted({ items }) : allInDoubt(items));
};

/**
 * Whether an item is of something else than was sent in its place: an order in that of a cancellation, or the reverse; of another order by its client
 * id, where both have one, or because more of it was filled.
 */
const isAnother = (item: ItemResult, { cloid, size }: SentItem = NOTHING): boolean =>
  (OF_A_KIND.has(item.kind) && (item.kind === 'done') !== (size === null)) ||
  ('cloid' in item && (item.cloid ?? cloid) !== (cloid ?? item.cloid)) ||
  (item.kind === 'filled' && size !== null && compare(item.filledSize, size) > 0);

/** The results that either an order or a cancellation has. */
const OF_A_KIND: ReadonlySet<ItemResult['kind']> = new Set([
  'done',
  'resting',
  'filled',
  'waiting_for_fill',
  'waiting_for_trigger',
]);

const NOTHING: SentItem = { cloid: null, size: null };

/** The same rejection for every item rejects the action. Different rejections stay on their items. */
const sameRejection = (items: ItemResult[]): Rejected | null => {
  const [first] = items;
  if (first?.kind !== 'rejected') return null;
  return items.every((item) => item.kind === 'rejected' && item.slug === first.slug) ? first : null;
};

const isDone = ({ kind }: ItemResult) => kind !== 'unknown';

const allInDoubt = (items: ItemResult[]): UpstreamResult<Posted> =>
  unknownEffect(items.length === 0 ? 'the response lists no items' : 'no item of the response is readable');

const readItem = (status: unknown): ItemResult => {
  if (status === 'success') return { kind: 'done' };
  if (status === 'waitingForFill') return { kind: 'waiting_for_fill' };
  if (status === 'waitingForTrigger') return { kind: 'waiting_for_trigger' };
  const item = fieldsOf(status);
  const error = textOf(item?.error);
  const order = readResting(item?.resting) ?? readFilled(item?.filled);
  if (error && !order) return classifyItemText(error);
  return (!error && order) || { kind: 'unknown', why: 'an unknown status' };
};

const readResting = (value: unknown): ItemResult | null => {
  const oid = oidOf(fieldsOf(value)?.oid);
  return oid === null ? null : { kind: 'resting', oid, cloid: hexOf(fieldsOf(value)?.cloid) };
};

const readFilled = (value: unknown): ItemResult | null => {
  const filled = fieldsOf(value);
  const oid = oidOf(filled?.oid);
  const filledSize = positiveOf(filled?.totalSz);
  const averagePrice = positiveOf(filled?.avgPx);
  if (oid === null || filledSize === null || averagePrice === null) return null;
  return { kind: 'filled', oid, cloid: hexOf(filled?.cloid), filledSize, averagePrice };
};

const oidOf = (value: unknown): number | null => {
  const oid = integerOf(value);
  return oid !== null && oid > 0 ? oid : null;
};
