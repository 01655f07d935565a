import { type Answer, accepted, inDoubt, type Lookup, unreachable, unreadable } from '../../kernel/answer.ts';
import { isUuid } from '../../kernel/ids.ts';
import { parseJson, type Reply } from '../http.ts';
import { entriesOf, type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { readExecuted } from './orders.ts';
import { judgeOrderText, refusedForForm, refusedForReasonsUnknown, refusedOurKey } from './refusals.ts';
import type { SignalAccepted } from './types.ts';

const BRACKETS_FAILED = 'The order is filled, but its stop-loss or take-profit could not be placed.';
const MADE_SMALLER = 'The venue made the order smaller to fit the limits of the account.';

/**
 * What the reply to a submitted signal proves. Only 200 with success and 400 with a reason prove anything; every
 * other status, and any body that cannot be read, leaves the order in doubt. Venue facts: entity miner REST API.
 */
export const submitAnswer = (reply: Reply, orderUuid: string): Answer<SignalAccepted> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return inDoubt(reply.why);
  if (isOurKeyRefused(reply.status)) return refusedOurKey;
  const body = fieldsOf(parseJson(reply.text));
  if (!body) return inDoubt(`unreadable body, status ${reply.status}`);
  if (isAboutAnother(body, orderUuid)) return inDoubt('the answer is about another order');
  if (reply.status === 200 && body.success === true) return accepted(acceptedOrder(body));
  if (reply.status === 400 && body.success === false) return refusalAnswer(body);
  return inDoubt(`status ${reply.status} decides nothing`);
};

/** What the miner accepted, read from a body or an archive record that holds `order_json`. */
export const acceptedOrder = (body: Fields, note: string | null = null): SignalAccepted => {
  const order = readExecuted(body.order_json ?? body.created_orders);
  return {
    executed: order?.executed ?? null,
    processingTimeS: numberOf(body.processing_time),
    note: note ?? (order?.capped ? MADE_SMALLER : null),
  };
};

/** The accepted order of a fill whose brackets failed. */
export const acceptedWithoutBrackets = (body: Fields): SignalAccepted => acceptedOrder(body, BRACKETS_FAILED);

/** 401 and 403 come from the key check, before anything is done. */
const isOurKeyRefused = (status: number): boolean => status === 401 || status === 403;

/**
 * The JSON object of a read that went well, or why there is none. `absent` only where the party itself says so in
 * JSON: a 404 page of something in between is no word of the party.
 */
export const readAnswer = (reply: Reply): Lookup<Fields> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  if (isOurKeyRefused(reply.status)) return unreadable(refusedOurKey.slug);
  if (!body) return unreadable(`unreadable body, status ${reply.status}`);
  if (reply.status === 404) return { kind: 'absent' };
  return reply.status === 200 ? { kind: 'found', said: body } : unreadable(`status ${reply.status}`);
};

/**
 * The reasons an order's no gives, in the spellings of old and new builds. Its `message` is none: it only says that
 * the order failed, also where the validator never answered.
 */
export const reasonsOf = ({ error_message, error, error_messages }: Fields): string =>
  [error_message, error, error_messages].flatMap(textsOf).join(' ');

/** The full shape names the order and comes after the venue was asked; the short one is the miner's own check. */
const refusalAnswer = (body: Fields): Answer<SignalAccepted> => {
  const unknown = textOf(body.order_uuid) ? refusedForReasonsUnknown : refusedForForm;
  const verdict = judgeOrderText(reasonsOf(body), unknown);
  if (verdict.kind === 'filled') return accepted(acceptedWithoutBrackets(body));
  return verdict.kind === 'undecided' ? inDoubt('the venue gave a reason that decides nothing') : verdict;
};

/** Lists of uuids and `ALL` are echoed in ways that differ by build, so only a single uuid is compared. */
const isAboutAnother = ({ order_uuid }: Fields, asked: string): boolean =>
  isUuid(asked) && typeof order_uuid === 'string' && order_uuid.toLowerCase() !== asked.toLowerCase();

/** The texts of a reason that is a text, a list of them, or a dictionary by validator. */
const textsOf = (reason: unknown): string[] =>
  typeof reason === 'string' ? [reason] : (entriesOf(reason) ?? []).flatMap(([, member]) => textsOf(member));
