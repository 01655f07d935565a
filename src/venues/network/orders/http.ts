import type { CallWith, Handler } from '../../../contract/handler.ts';
import type { Accepted, SubmitDeps } from '../../../intents/accept.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { hotkeyOf, isUuid, nameOf, type OrderUuid } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import type { VenueReads } from '../../reads.ts';
import { findSubaccount } from '../subaccounts/queries.ts';
import type { NewNetworkOrder } from './intents.ts';
import { cancelOrder, closePosition, editOrder, placeOrder, protectPosition, type RequestContext } from './intents.ts';
import { findOrderPair } from './queries.ts';
import { orderReply, type Poll, readOrderPage, readOrderStatus } from './read-model.ts';

type Deps = SubmitDeps<'acceptNetworkOrder', NewNetworkOrder, 'NETVENUE_ENTITY_HOTKEY' | 'ORDER_DEADLINE_MS'> & {
  reads: VenueReads;
};

const ORDERS = '/v1/orders/netvenue';

type AnyCall = Pick<CallWith<Deps>, 'deps' | 'context' | 'settled'>;

/** Places an order. */
export const submitNetvenueOrder: Handler<'submitNetvenueOrder', Deps> = async (call) => {
  const accepted = await placeOrder(context(call, call.header['Trader-ID']), call.body);
  return respond(call, accepted, orderPoll);
};

/** Closes the position in a pair. */
export const closeNetvenuePosition: Handler<'closeNetvenuePosition', Deps> = async (call) => {
  const accepted = await closePosition(context(call, call.header['Trader-ID']), { trade_pair: call.body.trade_pair });
  return respond(call, accepted, orderPoll);
};

/** Sets the protection of the position in a pair. */
export const setNetvenueTpSl: Handler<'setNetvenueTpSl', Deps> = async (call) => {
  const accepted = await protectPosition(context(call, call.header['Trader-ID']), call.body);
  return respond(call, accepted, intentPoll);
};

/** Cancels a resting order. */
export const cancelNetvenueOrder: Handler<'cancelNetvenueOrder', Deps> = async (call) => {
  const target: OrderUuid = call.path.order_uuid.toLowerCase();
  const accepted = await cancelOrder(context(call, call.header['Trader-ID']), { target, pair: call.query.trade_pair });
  return respond(call, accepted, intentPoll, target);
};

/** Edits a resting order. */
export const editNetvenueOrder: Handler<'editNetvenueOrder', Deps> = async (call) => {
  const target: OrderUuid = call.path.order_uuid.toLowerCase();
  const accepted = await editOrder(context(call, call.header['Trader-ID']), target, call.body);
  return respond(call, accepted, intentPoll, target);
};

/** Returns the status of an order. Throws V1_ORDER_UNKNOWN. */
export const getNetvenueOrder: Handler<'getNetvenueOrder', Deps> = async ({ deps, principal, path, header }) => {
  const trader = hotkeyOf(deps.config.NETVENUE_ENTITY_HOTKEY, Number(header['Trader-ID']));
  const status = await readOrderStatus(deps, principal.owner, trader, path.order_uuid);
  if (!status) throw new ApiError('V1_ORDER_UNKNOWN');
  return { status: 200, body: status };
};

/** Lists a trader's orders, newest first. Throws V1_TRADER_UNKNOWN. */
export const listNetvenueOrders: Handler<'listNetvenueOrders', Deps> = async ({ deps, principal, query, header }) => {
  const { owner } = principal;
  const trader = hotkeyOf(deps.config.NETVENUE_ENTITY_HOTKEY, Number(header['Trader-ID']));
  if (!(await findSubaccount(deps.db, owner, trader))) throw new ApiError('V1_TRADER_UNKNOWN');
  const isKnown = async (id: string) => isUuid(id) && (await findOrderPair(deps.db, owner, trader, id)) !== null;
  const page = await listPage(query, { path: ORDERS, cursorOf: ({ id }: { id: string }) => id, isKnown }, (wanted) =>
    readOrderPage(deps, owner, trader, { state: query.state ?? null, ...wanted }),
  );
  return { ...page, body: page.body.map(({ status }) => status) };
};

const context = ({ deps, context }: AnyCall, traderId: string): RequestContext => ({
  accept: deps.acceptNetworkOrder,
  context,
  subaccountId: Number(traderId),
  entityHotkey: deps.config.NETVENUE_ENTITY_HOTKEY,
  deadlineMs: deps.config.ORDER_DEADLINE_MS,
});

const orderPoll: Poll = (intent) => `${ORDERS}/${nameOf(intent)}`;
const intentPoll: Poll = ({ id }) => `/v1/intents/${id}`;

/** Waits for as long as the caller prefers. Responds with the outcome, or with 202 and where to poll. */
async function respond(call: AnyCall, accepted: Accepted, poll: Poll, target?: OrderUuid) {
  return orderReply(await call.settled(accepted), poll, target);
}
