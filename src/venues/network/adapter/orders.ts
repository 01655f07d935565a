import { parseJson, type Reply } from '../../../adapters/http.ts';
import { accepted, inconclusive, unknownEffect, unreachable } from '../../../kernel/upstream-result.ts';
import {
  anyOf,
  type Fields,
  fieldsOf,
  isOurKeyRejected,
  namesAnother,
  numberIn,
  numberOf,
  readPair,
  readSide,
  saysError,
  textOf,
  textsOf,
  timeMsOf,
} from './fields.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { classifyFormText, classifyOrderText, rejectedOurKey, saysRestarting } from './rejections.ts';
import type {
  Attempts,
  Bracket,
  Executed,
  Signal,
  SignalAccepted,
  SubmitResult,
  TrailingStop,
} from './signal-types.ts';
import type { DashboardOrder } from './types.ts';

const MADE_SMALLER = 'The venue made the order smaller to fit the limits of the account.';

/**
 * Classifies the reply to a submitted signal. Conclusive are only 401 and 403 in the miner's form, 200 with success and 400
 * with a known reason, if a single attempt of the miner can be behind it. Any other status or an unreadable body leaves the
 * order in doubt. `elapsedMs`: from the request to the response. See venues/network.md#responses.
 */
export const submitResponse = (
  reply: Reply,
  { order_uuid: orderUuid, execution_type }: Pick<Signal, 'order_uuid' | 'execution_type'>,
  elapsedMs: number,
): SubmitResult => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  if (body && isOurKeyRejected(reply.status) && body.success !== true && saysError(body)) return rejectedOurKey;
  if (typeof body?.success !== 'boolean') return unknownEffect(`unreadable body, status ${reply.status}`); // a proxy's: the miner may still work on it
  if (isAboutAnother(body, orderUuid)) return inconclusive('the response is about another order');
  const attempts = attemptsBehind(body, elapsedMs);
  if (reply.status === 200 && body.success && (textOf(body.order_uuid) === null || saysError(body)))
    return inconclusive('a success that names no order, or an error beside it');
  if (reply.status === 200 && body.success) return accepted(acceptedOrder(body, attempts));
  if (reply.status === 400 && !body.success) return rejectionResponse(body, { execution_type, attempts });
  return inconclusive(`status ${reply.status} is not conclusive`);
};

/** The miner pauses between its attempts inside one request, up to three. See venues/network.md#retries. */
const PAUSE_S = 5;

/** Members of the responses of older builds, whose `processing_time` is that of the last attempt alone. */
const OLDER = ['validators_processed', 'created_orders', 'error_messages'];

/**
 * How many attempts may be behind a response, which speaks for the last of them only: an earlier one may have had its effect
 * although its acknowledgement was lost. `one` is proven by a time that has no room for a pause: that which the miner
 * measured, else that from the request to the response.
 */
export function attemptsBehind(body: Fields, elapsedMs: number): Attempts {
  const processingS = numberOf(body.processing_time);
  if (processingS !== null && processingS >= PAUSE_S) return 'several';
  const isMeasured = processingS !== null && !OLDER.some((name) => name in body);
  return isMeasured || elapsedMs < PAUSE_S * 1_000 ? 'one' : 'several';
}

/** How long the miner has worked on a signal, at least, by its response; null if the response does not say. */
export function workedFor(reply: Reply): number | null {
  const body = reply.kind === 'response' ? fieldsOf(parseJson(reply.text)) : null;
  const workedS = body && numberOf(body.processing_time);
  return workedS === null ? null : Math.max(0, workedS * 1_000);
}

/** Reads the accepted order from a body or an archive record that contains `order_json`. */
export const acceptedOrder = (body: Fields, attempts: Attempts): SignalAccepted => {
  const order = readExecuted(body.order_json ?? body.created_orders);
  return {
    executed: order?.executed ?? null,
    processingTimeS: numberOf(body.processing_time),
    note: order?.capped ? MADE_SMALLER : null,
    attempts,
  };
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
 * check, after which nothing is sent. That a target is not there never proves that nothing was done to it.
 */
const rejectionResponse = (
  body: Fields,
  { execution_type, attempts }: { execution_type: Signal['execution_type']; attempts: Attempts },
): SubmitResult => {
  const reasons = reasonsOf(body);
  if (textOf(body.order_uuid) === null && reasons !== '' && !INTERNAL.test(reasons)) return classifyFormText(reasons);
  const verdict = classifyOrderText(reasons);
  if (verdict.kind === 'undecided') return inconclusive('the reason given by the venue is not conclusive');
  const { said, proves, endedIt } = verdict;
  if (attempts === 'several' && saysRestarting(said))
    return inconclusive('the venue restarts, and an earlier attempt may have acted');
  const isOfTarget = execution_type === 'LIMIT_CANCEL' || execution_type === 'LIMIT_EDIT';
  const isProven = proves && attempts === 'one' && !(isOfTarget && NOT_THERE.has(said.slug));
  return isProven ? said : { kind: 'unproven', said, attempts, endedIt };
};

const NOT_THERE = new Set(['order_not_found', 'cannot_edit']);

/** Builds echo lists of names and `ALL` in different ways, so only a single name is compared. */
const isAboutAnother = ({ order_uuid }: Fields, requested: string): boolean =>
  requested !== 'ALL' && !requested.includes(',') && namesAnother(order_uuid, requested);

/**
 * Reads one order, compact (`t l q pr v e p lp sl tk tsl sp cond`) or verbose. `key` is its uuid if the order contains
 * none. Null without a uuid. See venues/network-validator.md#dashboard.
 */
export const readOrder = (value: unknown, key: string | null = null): DashboardOrder | null => {
  const order = fieldsOf(value);
  const uuid = order && (textOf(anyOf(order, 'order_uuid', 'uuid')) ?? key);
  if (!order || !uuid) return null;
  return {
    uuid,
    tradePair: readPair(anyOf(order, 'trade_pair_id', 'trade_pair', 'tp')),
    orderType: readSide(anyOf(order, 'order_type', 't')),
    executionType: textOf(anyOf(order, 'execution_type', 'e')),
    ...readSizes(order),
    price: readPrice(anyOf(order, 'price', 'pr')),
    limitPrice: readPrice(anyOf(order, 'limit_price', 'lp')),
    stopPrice: readPrice(anyOf(order, 'stop_price', 'sp')),
    stopCondition: textOf(anyOf(order, 'stop_condition', 'cond')),
    ...readExits(order),
    brackets: readBrackets(order.bracket_orders),
    processedMs: timeMsOf(anyOf(order, 'processed_ms', 'p')),
    source: numberOf(order.src) ?? sourceIn(uuid),
  };
};

/** The source code in the uuid of an order by which the network itself closed a position. See venues/network.md#derived-ids. */
const sourceIn = (uuid: string): number | null => numberOf(/-close-(\d+)$/.exec(uuid)?.[1]);

/**
 * Reads the execution from an `order_json`: JSON, a Python dictionary as text, or an object; older builds list it by
 * validator. Null if no member of an order is known.
 */
export const readExecuted = (orderJson: unknown): { executed: Executed; capped: boolean } | null => {
  const order = orderIn(typeof orderJson === 'string' ? parseOrder(orderJson) : orderJson);
  if (!order) return null;
  return {
    executed: { order_type: readSide(order.order_type), ...readSizes(order), price: readPrice(order.price) },
    capped: textOf(order.binding_cap) !== null,
  };
};

const parseOrder = (text: string): unknown => parseJson(text) ?? parsePythonLiteral(text);

const ORDER_MEMBERS = ['order_type', 'leverage', 'value', 'quantity', 'price'] as const;

/** The value itself if it is an order, else its first member that is one. */
const orderIn = (value: unknown): Fields | null => {
  const fields = fieldsOf(value);
  if (!fields) return null;
  const isOrder = (candidate: Fields) => ORDER_MEMBERS.some((name) => candidate[name] != null);
  if (isOrder(fields)) return fields;
  const members = Object.values(fields).map((member) =>
    fieldsOf(typeof member === 'string' ? parseOrder(member) : member),
  );
  return members.find((member) => member !== null && isOrder(member)) ?? null;
};

/** The exits of an order. Newer builds store those of a limit order as its only entry of `bracket_orders`. */
const readExits = (order: Fields): Pick<DashboardOrder, 'stopLoss' | 'takeProfit' | 'trailingStop'> => {
  const [entry, ...others] = Array.isArray(order.bracket_orders) ? order.bracket_orders : [];
  const only = others.length === 0 ? fieldsOf(entry) : null;
  const from = { ...only, ...withoutNulls(order) };
  return {
    stopLoss: readPrice(anyOf(from, 'stop_loss', 'sl')),
    takeProfit: readPrice(anyOf(from, 'take_profit', 'tk')),
    trailingStop: readTrailingStop(anyOf(from, 'trailing_stop', 'tsl')) ?? readTrailingStop(only),
  };
};

const BRACKET_MEMBERS = [
  'stop_loss',
  'take_profit',
  'trailing_percent',
  'trailing_value',
  'leverage',
  'value',
  'quantity',
] as const satisfies readonly (keyof Bracket)[];

/** The entries of an order's `bracket_orders`, without their uuids. Null without a list of entries. */
const readBrackets = (value: unknown): Bracket[] | null =>
  Array.isArray(value) && value.length > 0 ? value.map(readBracket) : null;

const readBracket = (value: unknown): Bracket =>
  Object.fromEntries(
    BRACKET_MEMBERS.flatMap((name) => {
      const number = numberOf(fieldsOf(value)?.[name]);
      return number === null ? [] : [[name, number]];
    }),
  );

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** Sizes keep the venue's sign: negative for SHORT. */
const readSizes = (order: Fields) => ({
  leverage: numberIn(order, 'leverage', 'l'),
  value: numberIn(order, 'value', 'v'),
  quantity: numberIn(order, 'quantity', 'q'),
});

/** Unfilled orders have a price of 0, which means no price. No price is below 0. */
const readPrice = (value: unknown): number | null => {
  const price = numberOf(value);
  return price !== null && price > 0 ? price : null;
};

const readTrailingStop = (value: unknown): TrailingStop | null => {
  const stop = fieldsOf(value);
  const percent = stop && numberIn(stop, 'trailing_percent', 'pct');
  const distance = stop && numberIn(stop, 'trailing_value', 'val');
  if (percent) return { trailing_percent: percent };
  return distance ? { trailing_value: distance } : null;
};
