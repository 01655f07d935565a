import { parseJson, type Reply } from '../../../adapters/http.ts';
import { isUuid, type OrderUuid } from '../../../kernel/ids.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import { accepted, inconclusive, unknownEffect, unreachable, unreadable } from '../../../kernel/upstream-result.ts';
import { entriesOf, type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { readExecuted } from './orders.ts';
import { classifyFormText, classifyOrderText, rejectedOurKey } from './rejections.ts';
import type { SignalAccepted, SubmitResult } from './types.ts';

const MADE_SMALLER = 'The venue made the order smaller to fit the limits of the account.';

/**
 * Classifies the reply to a submitted signal. Conclusive are only 401, 403, 200 with success and 400 with a known
 * reason. Any other status or an unreadable body leaves the order in doubt. See venues/network.md#responses.
 */
export const submitResponse = (reply: Reply, orderUuid: OrderUuid): SubmitResult => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  if (isOurKeyRejected(reply.status)) return rejectedOurKey;
  const body = fieldsOf(parseJson(reply.text));
  if (!body) return unknownEffect(`unreadable body, status ${reply.status}`);
  if (isAboutAnother(body, orderUuid)) return inconclusive('the response is about another order');
  if (reply.status === 200 && body.success === true) return accepted(acceptedOrder(body));
  if (reply.status === 400 && body.success === false) return rejectionResponse(body);
  return inconclusive(`status ${reply.status} is not conclusive`);
};

/** Reads the accepted order from a body or an archive record that contains `order_json`. */
export const acceptedOrder = (body: Fields): SignalAccepted => {
  const order = readExecuted(body.order_json ?? body.created_orders);
  return {
    executed: order?.executed ?? null,
    processingTimeS: numberOf(body.processing_time),
    note: order?.capped ? MADE_SMALLER : null,
  };
};

/** 401 and 403 come from the key check, before the request has any effect. */
const isOurKeyRejected = (status: number): boolean => status === 401 || status === 403;

/**
 * The JSON object of a successful read, or why there is none. `absent` only for a 404 with a JSON object: a 404 page of
 * a proxy is not a statement of the upstream.
 */
export const readResponse = (reply: Reply): ReadResult<Fields> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  if (isOurKeyRejected(reply.status)) return unreadable(rejectedOurKey.slug);
  if (!body) return unreadable(`unreadable body, status ${reply.status}`);
  if (reply.status === 404) return { kind: 'absent' };
  return reply.status === 200 ? { kind: 'found', data: body } : unreadable(`status ${reply.status}`);
};

/**
 * The reasons of a rejected order, in the formats of old and new builds. `message` repeats the reason after a colon; if
 * it only says that the order failed, it is no reason. After an exception it is the only member that says so: "Internal
 * error: …". See venues/network.md#responses.
 */
export const reasonsOf = ({ error_message, error, error_messages, message }: Fields): string => {
  const reasons = [error_message, error, error_messages].flatMap(textsOf).join(' ');
  const said = textOf(message) ?? '';
  if (INTERNAL.test(said)) return `${said} ${reasons}`;
  return reasons.trim() === '' && !NO_REASON.test(said) ? said : reasons;
};

const INTERNAL = /\binternal (server )?error\b/i;
const NO_REASON = /^order (failed|rejected)( on \w+( \w+)?)?[.:]?\s*$/i;

/**
 * The long format contains the order's uuid and is sent after the validator was asked. The short one is the miner's
 * check, after which nothing is sent.
 */
const rejectionResponse = (body: Fields): SubmitResult => {
  const reasons = reasonsOf(body);
  if (textOf(body.order_uuid) === null && reasons !== '' && !INTERNAL.test(reasons)) return classifyFormText(reasons);
  const verdict = classifyOrderText(reasons);
  return verdict.kind === 'undecided' ? inconclusive('the reason given by the venue is not conclusive') : verdict;
};

/** Builds echo lists of uuids and `ALL` in different ways, so only a single uuid is compared. */
const isAboutAnother = ({ order_uuid }: Fields, requested: string): boolean =>
  isUuid(requested) && typeof order_uuid === 'string' && order_uuid.toLowerCase() !== requested.toLowerCase();

/** The texts of a reason given as a string, a list, or a dictionary by validator. */
const textsOf = (reason: unknown): string[] =>
  typeof reason === 'string' ? [reason] : (entriesOf(reason) ?? []).flatMap(([, member]) => textsOf(member));
