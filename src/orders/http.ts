import type { Call, Handler } from '../edge/handler.ts';
import type { Accepted } from '../intents/accept.ts';
import { pendingHeaders } from '../intents/answers.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Asking, cancelOrder, closePosition, editOrder, placeOrder, protectPosition } from './intents.ts';
import { ended } from './lookups.ts';
import { noteLifecycle } from './outcomes.ts';
import { findRecordedOrder, type RecordedOrder } from './queries.ts';
import { orderResult, orderStatus } from './views.ts';

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
  const recorded = await findRecordedOrder(runtime.db, principal.owner, trader, path.order_uuid.toLowerCase());
  const status = recorded && orderStatus(recorded);
  if (!recorded || !status) throw new Refusal('V1_ORDER_UNKNOWN');
  if (status.lifecycle !== 'resting') return { status: 200, body: status };
  return { status: 200, body: { ...status, ...(await lifecycleNow(runtime, trader, recorded)) } };
};

/** A resting order may have been filled or cancelled since: the venue knows. When it cannot be asked the lifecycle is null. */
async function lifecycleNow({ db, reads }: Call['runtime'], trader: string, { id, order }: RecordedOrder) {
  const book = await reads.networkOrders(trader);
  if (book.kind !== 'found') return { lifecycle: null };
  const end = ended(book, order?.handle ?? id);
  if (!end) return {};
  await noteLifecycle(db, id, end.lifecycle, end.executed);
  return { lifecycle: end.lifecycle, ...(end.executed && { executed: end.executed }) };
}

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
