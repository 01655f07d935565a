import type { Call, Handler } from '../edge/handler.ts';
import type { Accepted } from '../intents/accept.ts';
import { pendingHeaders } from '../intents/answers.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Asking, cancelOrder, closePosition, editOrder, placeOrder, protectPosition } from './intents.ts';
import { orderResult, readOrderStatus } from './network/queries.ts';

type AnyCall = Pick<Call, 'runtime' | 'asking' | 'settled'>;

export const submitNetvenueOrder: Handler<'submitNetvenueOrder'> = async (call) => {
  const accepted = await placeOrder(asking(call, call.header['Trader-ID']), call.body);
  return answered(call, accepted, accepted.id, orderPoll);
};

export const closeNetvenuePosition: Handler<'closeNetvenuePosition'> = async (call) => {
  const accepted = await closePosition(asking(call, call.header['Trader-ID']), call.body.trade_pair);
  return answered(call, accepted, accepted.id, orderPoll);
};

export const setNetvenueTpSl: Handler<'setNetvenueTpSl'> = async (call) => {
  const accepted = await protectPosition(asking(call, call.header['Trader-ID']), call.body);
  return answered(call, accepted, accepted.id, intentPoll);
};

export const cancelNetvenueOrder: Handler<'cancelNetvenueOrder'> = async (call) => {
  const target = call.path.order_uuid.toLowerCase();
  const accepted = await cancelOrder(asking(call, call.header['Trader-ID']), target, call.query.trade_pair);
  return answered(call, accepted, target, intentPoll);
};

export const editNetvenueOrder: Handler<'editNetvenueOrder'> = async (call) => {
  const target = call.path.order_uuid.toLowerCase();
  const accepted = await editOrder(asking(call, call.header['Trader-ID']), target, call.body);
  return answered(call, accepted, target, intentPoll);
};

export const getNetvenueOrder: Handler<'getNetvenueOrder'> = async ({ runtime, principal, path, header }) => {
  const trader = `${runtime.config.NETVENUE_ENTITY_HOTKEY}_${Number(header['Trader-ID'])}`;
  const status = await readOrderStatus(runtime, principal.owner, trader, path.order_uuid);
  if (!status) throw new Refusal('V1_ORDER_UNKNOWN');
  return { status: 200, body: status };
};

const asking = ({ runtime, asking }: AnyCall, traderId: string): Asking => ({
  accept: runtime.acceptNetworkOrder,
  asking,
  subaccountId: Number(traderId),
  entityHotkey: runtime.config.NETVENUE_ENTITY_HOTKEY,
  deadlineMs: runtime.config.ORDER_DEADLINE_MS,
});

const orderPoll = (intentId: string) => `/v1/orders/netvenue/${intentId}`;
const intentPoll = (intentId: string) => `/v1/intents/${intentId}`;

/** Waits as long as preferred, then answers with the outcome, or 202 and where to poll. */
async function answered(call: AnyCall, accepted: Accepted, orderUuid: string, poll: (intentId: string) => string) {
  const intent = await call.settled(accepted);
  const body = orderResult(intent, orderUuid);
  return intent.settled_at === null
    ? { status: 202 as const, body, headers: pendingHeaders(poll(intent.id)) }
    : { status: 200 as const, body };
}
