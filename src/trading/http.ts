import type { Call, Handler } from '../edge/handler.ts';
import type { Accepted } from '../intents/accept.ts';
import { pendingHeaders, shownIntent } from '../intents/answers.ts';
import { findIntent } from '../intents/read.ts';
import { pageOf } from '../kernel/pages.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Asking, cancelOrder, closePosition, editOrder, placeOrder, protectPosition } from '../orders/intents.ts';
import { orderResult, readOrderPage, readOrderStatus } from '../orders/network/queries.ts';
import { findOrderPair } from '../orders/queries.ts';
import { getReadyAccount, type ReadyAccount, refuseUnlessTrading } from './accounts.ts';
import { closeEach } from './bulk.ts';
import { askingFor } from './intents.ts';

const ORDERS = '/v2/trading/orders';
const ORDERS_PAGE = 100;

type AnyCall = Pick<Call, 'runtime' | 'principal' | 'asking' | 'settled'> & { header: { 'X-Prop-Account'?: string } };

export const submitTradingOrder: Handler<'submitTradingOrder'> = async (call) => {
  const accepted = await placeOrder(await asking(call), call.body);
  return answered(call, accepted, accepted.id, orderPoll);
};

export const closeTradingPosition: Handler<'closeTradingPosition'> = async (call) => {
  const accepted = await closePosition(await asking(call), call.body.trade_pair);
  return answered(call, accepted, accepted.id, orderPoll);
};

export const closeTradingPositions: Handler<'closeTradingPositions'> = async (call) => {
  const account = await getReadyAccount(call);
  const { pending, ...body } = await closeEach(call, account, askingOf(call, account));
  const [first] = pending;
  return first === undefined ? { status: 200, body } : { status: 202, body, headers: pendingHeaders(orderPoll(first)) };
};

export const setTradingTpSl: Handler<'setTradingTpSl'> = async (call) => {
  const accepted = await protectPosition(await asking(call), call.body);
  return answered(call, accepted, accepted.id, intentPoll);
};

export const cancelTradingOrder: Handler<'cancelTradingOrder'> = async (call) => {
  const account = await getReadyAccount(call);
  const target = call.path.order_uuid.toLowerCase();
  const pair = call.query.trade_pair ?? (await getPair(call, account, target));
  const accepted = await cancelOrder(askingOf(call, account), target, pair);
  return answered(call, accepted, target, intentPoll);
};

export const editTradingOrder: Handler<'editTradingOrder'> = async (call) => {
  const target = call.path.order_uuid.toLowerCase();
  const accepted = await editOrder(await asking(call), target, call.body);
  return answered(call, accepted, target, intentPoll);
};

export const listTradingOrders: Handler<'listTradingOrders'> = async (call) => {
  const { runtime, query } = call;
  const { owner, hotkey } = await getReadyAccount(call);
  const { open = false, cursor = null, limit = ORDERS_PAGE } = query;
  const found = await readOrderPage(runtime, owner, hotkey, { open, cursor, limit: limit + 1 });
  const page = pageOf(found, { path: ORDERS, cursor: 'cursor', limit });
  const link = page.headers && { Link: page.headers.Link.replace('?', `?open=${open}&`) };
  return { status: 200, body: page.body.map(({ status }) => status), ...(link && { headers: link }) };
};

export const getTradingOrder: Handler<'getTradingOrder'> = async (call) => {
  const { owner, hotkey } = await getReadyAccount(call);
  const status = await readOrderStatus(call.runtime, owner, hotkey, call.path.order_uuid);
  if (!status) throw new Refusal('V1_ORDER_UNKNOWN');
  return { status: 200, body: status };
};

export const getTradingIntent: Handler<'getTradingIntent'> = async (call) => {
  const account = await getReadyAccount(call);
  const intent = await findIntent(call.runtime.db, account.owner, call.path.intent_id.toLowerCase());
  if (intent?.asked.prop_account_id !== account.id) throw new Refusal('INTENT_UNKNOWN');
  return { status: 200, body: shownIntent(intent), headers: { 'Intent-Id': intent.id } };
};

const asking = async (call: AnyCall): Promise<Asking> => askingOf(call, await getReadyAccount(call));

function askingOf({ runtime, principal, asking }: AnyCall, account: ReadyAccount): Asking {
  const { acceptTradingOrder: accept, config } = runtime;
  const userId = principal.kind === 'user' || principal.kind === 'trader' ? principal.userId : undefined;
  return askingFor(account, userId, { accept, asking, deadlineMs: config.ORDER_DEADLINE_MS });
}

async function getPair({ runtime }: AnyCall, account: ReadyAccount, target: string): Promise<string> {
  const pair = await findOrderPair(runtime.db, account.owner, account.hotkey, target);
  if (pair !== null) return pair;
  refuseUnlessTrading(account);
  throw new Refusal('V1_ORDER_UNKNOWN');
}

const orderPoll = (intentId: string) => `${ORDERS}/${intentId}`;
const intentPoll = (intentId: string) => `/v2/trading/intents/${intentId}`;

/** Waits as long as preferred, then answers with the outcome, or 202 and where to poll with the same credentials. */
async function answered(call: AnyCall, accepted: Accepted, orderUuid: string, poll: (intentId: string) => string) {
  const intent = await call.settled(accepted);
  const body = orderResult(intent, orderUuid);
  return intent.settled_at === null
    ? { status: 202 as const, body, headers: pendingHeaders(poll(intent.id)) }
    : { status: 200 as const, body };
}
