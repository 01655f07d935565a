import { type Answer, accepted, inDoubt, type Rejected, unreachable } from '../../kernel/answer.ts';
import { parseJson, type Reply } from '../http.ts';
import { decimalOf, fieldsOf, hexOf, integerOf, textOf } from './fields.ts';
import { judgeActionText, judgeItemText, refusedForForm, refusedForRate } from './refusals.ts';
import type { ItemResult, Posted } from './types.ts';

/** What a body asks for: how many items must be answered one by one; 0 where the venue answers with a bare yes. */
export type Sent = { items: number; firstSend: boolean };

/** When a 429 names no time: the venue's budget is per minute, a sixth of it is back by then. */
const PAUSE_S = 10;

/**
 * What the reply to a posted action proves. Refusals by 422, 429, a known text or per item are definite, unless the same
 * bytes may have arrived before. All else, and any text nobody knows, leaves the action in doubt. Venue facts: exchange
 * endpoint, answers.
 */
export const postAnswer = (reply: Reply, { items, firstSend }: Sent): Answer<Posted> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return inDoubt(reply.why);
  const answer = readReply(reply, items);
  return answer.kind === 'rejected' && !firstSend ? inDoubt(`a repeat was refused: ${answer.slug}`) : answer;
};

/** Seconds to wait after a 429. */
export const pauseOf = (headers: { 'retry-after'?: string | undefined }): number => {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : PAUSE_S;
};

const readReply = (reply: Extract<Reply, { kind: 'response' }>, items: number): Answer<Posted> => {
  if (reply.status === 429) return refusedForRate(pauseOf(reply.headers));
  if (reply.status === 422) return refusedForForm;
  const body = fieldsOf(parseJson(reply.text));
  if (reply.status !== 200 || !body) return inDoubt(`status ${reply.status} decides nothing`);
  if (body.status === 'err') return readRefusal(body.response);
  if (body.status !== 'ok') return inDoubt('unknown status of the action');
  return items === 0 ? accepted({ items: [] }) : readStatuses(body.response, items);
};

const readRefusal = (text: unknown): Answer<Posted> =>
  judgeActionText(textOf(text) ?? '') ?? inDoubt('the venue gave a reason that decides nothing');

/** Fewer answers than items, and one of them a no: the venue found it before it looked at anything, and refused all. */
const readStatuses = (response: unknown, asked: number): Answer<Posted> => {
  const statuses = fieldsOf(fieldsOf(response)?.data)?.statuses;
  if (!Array.isArray(statuses)) return inDoubt('the answer names no items');
  const items = statuses.map(readItem);
  const [first] = items;
  if (items.length === 1 && first?.kind === 'rejected') return first;
  if (items.length !== asked) return inDoubt('the answer names other items');
  return sameRefusal(items) ?? (items.some(isDone) ? accepted({ items }) : allInDoubt(items));
};

/** One no for every item is a no to the action; refusals that differ are kept item by item. */
const sameRefusal = (items: ItemResult[]): Rejected | null => {
  const [first] = items;
  if (first?.kind !== 'rejected') return null;
  return items.every((item) => item.kind === 'rejected' && item.slug === first.slug) ? first : null;
};

const isDone = ({ kind }: ItemResult) => kind !== 'in_doubt';

const allInDoubt = (items: ItemResult[]): Answer<Posted> =>
  inDoubt(items.length === 0 ? 'the answer names no items' : 'no item of the answer is readable');

const readItem = (status: unknown): ItemResult => {
  if (status === 'success') return { kind: 'done' };
  if (status === 'waitingForFill') return { kind: 'waiting_for_fill' };
  if (status === 'waitingForTrigger') return { kind: 'waiting_for_trigger' };
  const item = fieldsOf(status);
  const error = textOf(item?.error);
  if (error) return judgeItemText(error);
  return readResting(item?.resting) ?? readFilled(item?.filled) ?? { kind: 'in_doubt', why: 'an unknown word' };
};

const readResting = (value: unknown): ItemResult | null => {
  const oid = integerOf(fieldsOf(value)?.oid);
  return oid === null ? null : { kind: 'resting', oid, cloid: hexOf(fieldsOf(value)?.cloid) };
};

const readFilled = (value: unknown): ItemResult | null => {
  const filled = fieldsOf(value);
  const oid = integerOf(filled?.oid);
  const filledSize = decimalOf(filled?.totalSz);
  const averagePrice = decimalOf(filled?.avgPx);
  if (oid === null || filledSize === null || averagePrice === null) return null;
  return { kind: 'filled', oid, cloid: hexOf(filled?.cloid), filledSize, averagePrice };
};
