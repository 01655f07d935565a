import { parseJson, type Reply } from '../../../adapters/http.ts';
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

/** What was sent: the client ids of the items that the venue reports on individually, null for one without. None if it sends no item results. */
export type SentRequest = { cloids: readonly (string | null)[]; firstSend: boolean };

/** Pause after a 429 without `Retry-After`. The budget is per minute, so a sixth of it is available again by then. */
const PAUSE_S = 10;
/** The budget is per minute: a longer pause, which a proxy may ask for, has nothing to do with it and would hold up everybody's orders. */
const LONGEST_PAUSE_S = 60;

/**
 * Classifies the reply to a posted action. Rejections by 422, 429, a text of the venue or per item are definite. If the same bytes
 * may have arrived before, only results per item are: the venue executes a nonce once, so it has executed the bytes now.
 * Everything else leaves the action in doubt. See venues/exchange.md#errors.
 */
export const postResponse = (reply: Reply, { cloids, firstSend }: SentRequest): UpstreamResult<Posted> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  const response = readReply(reply, cloids);
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
  cloids: SentRequest['cloids'],
): UpstreamResult<Posted> => {
  const body = fieldsOf(parseJson(reply.text));
  const isRejected = body?.status !== 'ok';
  if (reply.status === 429 && isRejected) return rejectedForRate(pauseOf(reply.headers));
  if (reply.status === 422 && isRejected) return rejectedForForm;
  if (reply.status !== 200 || !body) return unknownEffect(`status ${reply.status} is not conclusive`);
  if (body.status === 'err') return readRejection(body.response);
  if (body.status !== 'ok') return unknownEffect('unknown status of the action');
  return cloids.length === 0 ? accepted({ items: [] }) : readStatuses(body.response, cloids);
};

/** Expired bytes were never executed, so the action may be signed and sent anew. */
const readRejection = (reason: unknown): UpstreamResult<Posted> => {
  const text = textOf(reason) ?? '';
  if (saysExpired(text)) return unreachable('EXPIRED');
  return classifyActionText(text) ?? unknownEffect('the reason given by the venue is not conclusive');
};

/** A single rejection for several items: the venue found it in its first check and rejected the whole action. */
const readStatuses = (response: unknown, cloids: SentRequest['cloids']): UpstreamResult<Posted> => {
  const statuses = fieldsOf(fieldsOf(response)?.data)?.statuses;
  if (!Array.isArray(statuses)) return unknownEffect('the response lists no items');
  const items = statuses.map(readItem);
  const [first] = items;
  if (items.length === 1 && first?.kind === 'rejected') return first;
  if (items.length !== cloids.length || items.some((item, n) => isAnother(item, cloids[n] ?? null)))
    return unknownEffect('the response lists other items');
  return sameRejection(items) ?? (items.some(isDone) ? accepted({ items }) : allInDoubt(items));
};

/** Whether an item names another order than was sent in its place. Where one of both has no client id, nothing says so. */
const isAnother = (item: ItemResult, sent: string | null): boolean =>
  'cloid' in item && (item.cloid ?? sent) !== (sent ?? item.cloid);

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
  if (error) return classifyItemText(error);
  return readResting(item?.resting) ?? readFilled(item?.filled) ?? { kind: 'unknown', why: 'an unknown status' };
};

const readResting = (value: unknown): ItemResult | null => {
  const oid = integerOf(fieldsOf(value)?.oid);
  return oid === null ? null : { kind: 'resting', oid, cloid: hexOf(fieldsOf(value)?.cloid) };
};

const readFilled = (value: unknown): ItemResult | null => {
  const filled = fieldsOf(value);
  const oid = integerOf(filled?.oid);
  const filledSize = positiveOf(filled?.totalSz);
  const averagePrice = positiveOf(filled?.avgPx);
  if (oid === null || filledSize === null || averagePrice === null) return null;
  return { kind: 'filled', oid, cloid: hexOf(filled?.cloid), filledSize, averagePrice };
};
