import type { CallWith, Handler } from '../../contract/handler.ts';
import type { Accepted, SubmitDeps } from '../../intents/accept.ts';
import type { Wait } from '../../intents/follow.ts';
import { findIntent, intentOfV2, orEarlier, pendingHeaders } from '../../intents/follow.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isUuid, nameOf, type OrderUuid } from '../../kernel/ids.ts';
import { listPage } from '../../kernel/pages.ts';
import {
  cancelOrder,
  closePosition,
  editOrder,
  placeOrder,
  protectPosition,
  type RequestContext,
} from '../../venues/network/orders/intents.ts';
import { findOrderPair } from '../../venues/network/orders/queries.ts';
import { orderReply, type Poll, readOrderPage, readOrderStatus } from '../../venues/network/orders/read-model.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { byOrder, getReadyAccount, type ReadyAccount, rejectUnlessTrading } from './accounts.ts';
import { closeEach } from './bulk.ts';
import type { NewTradingOrder } from './context.ts';
import { contextFor } from './context.ts';

type Deps = SubmitDeps<'acceptTradingOrder', NewTradingOrder, 'ORDER_DEADLINE_MS'> & { reads: VenueReads; wait: Wait };

const ORDERS = '/v2/trading/orders';

type AnyCall = Pick<CallWith<Deps>, 'deps' | 'principal' | 'context' | 'settled'> & {
  header: { 'X-Prop-Account'?: string };
};

/** Places an order. */
export const submitTradingOrder: Handler<'submitTradingOrder', Deps> = async (call) => {
  const accepted = await submitted(call, (context) => placeOrder(context, call.body), call.body.order_uuid);
  return respond(call, accepted, orderPoll);
};

/** Closes the position in a pair. */
export const closeTradingPosition: Handler<'closeTradingPosition', Deps> = async (call) => {
  const { trade_pair } = call.body;
  const accepted = await submitted(call, (context) => closePosition(context, { trade_pair }));
  return respond(call, accepted, orderPoll);
};

/** Closes several positions. */
export const closeTradingPositions: Handler<'closeTradingPositions', Deps> = async (call) => {
  const opening = call.body.position_uuids.find(isUuid); // a position has the id of its opening order
  const account = await getReadyAccount(call, byOrder(opening));
  const { pending, ...body } = await closeEach(call, account, contextOf(call, account));
  const [first] = pending;
  return first === undefined
    ? { status: 200, body }
    : { status: 202, body, headers: pendingHeaders(`${ORDERS}/${first}`) };
};

/** Sets the protection of the position in a pair. */
export const setTradingTpSl: Handler<'setTradingTpSl', Deps> = async (call) => {
  const accepted = await submitted(call, (context) => protectPosition(context, call.body));
  return respond(call, accepted, intentPoll);
};

/** Cancels a resting order. */
export const cancelTradingOrder: Handler<'cancelTradingOrder', Deps> = async (call) => {
  const target: OrderUuid = call.path.order_uuid.toLowerCase();
  const cancelled = async (context: RequestContext, account: ReadyAccount) => {
    const pair = call.query.trade_pair ?? (await getPair(call, account, target));
    return cancelOrder(context, { target, pair });
  };
  const accepted = await submitted(call, cancelled, target);
  return respond(call, accepted, intentPoll, target);
};

/** Edits a resting order. */
export const editTradingOrder: Handler<'editTradingOrder', Deps> = async (call) => {
  const target: OrderUuid = call.path.order_uuid.toLowerCase();
  const accepted = await submitted(call, (context) => editOrder(context, target, call.body), target);
  return respond(call, accepted, intentPoll, target);
};

/** Lists the orders of a prop account, newest first. */
export const listTradingOrders: Handler<'listTradingOrders', Deps> = async (call) => {
  const { deps, query } = call;
  const { owner, hotkey } = await getReadyAccount(call);
  const isKnown = async (id: string) => isUuid(id) && (await findOrderPair(deps.db, owner, hotkey, id)) !== null;
  const page = await listPage(query, { path: ORDERS, cursorOf: ({ id }: { id: string }) => id, isKnown }, (wanted) =>
    readOrderPage(deps, owner, hotkey, { state: query.open ? 'open' : null, ...wanted }),
  );
  return { ...page, body: page.body.map(({ status }) => status) };
};

/** Returns the status of an order. Throws V2_ORDER_UNKNOWN. */
export const getTradingOrder: Handler<'getTradingOrder', Deps> = async (call) => {
  const { owner, hotkey } = await getReadyAccount(call, byOrder(call.path.order_uuid));
  const status = await readOrderStatus(call.deps, owner, hotkey, call.path.order_uuid);
  if (!status) throw new ApiError('V2_ORDER_UNKNOWN');
  return { status: 200, body: status };
};

/** Returns an intent of the prop account. Throws INTENT_UNKNOWN. */
export const getTradingIntent: Handler<'getTradingIntent', Deps> = async (call) => {
  const account = await getReadyAccount(call, byOrder(call.path.intent_id));
  const intent = await findIntent(call.deps.db, account.owner, call.path.intent_id.toLowerCase());
  if (intent?.request.prop_account_id !== account.id) throw new ApiError('INTENT_UNKNOWN');
  return { status: 200, body: intentOfV2(intent), headers: { 'Intent-Id': intent.id } };
};

/**
 * Submits a verb for the account of the call, or of `order`, the order that it names. What was accepted before is returned also where that account
 * has no subaccount any more.
 */
async function submitted(
  call: AnyCall,
  submit: (context: RequestContext, account: ReadyAccount) => Promise<Accepted>,
  order?: OrderUuid,
): Promise<Accepted> {
  const account = await getReadyAccount(call, byOrder(order)).catch(orEarlier(call.deps.db, call.context, order));
  return 'replayed' in account ? account : submit(contextOf(call, account), account);
}

function contextOf({ deps, principal, context }: AnyCall, account: ReadyAccount): RequestContext {
  const { acceptTradingOrder: accept, config } = deps;
  const userId = principal.kind === 'user' || principal.kind === 'trader' ? principal.userId : undefined;
  return contextFor(account, userId, { accept, context, deadlineMs: config.ORDER_DEADLINE_MS });
}

async function getPair({ deps }: AnyCall, account: ReadyAccount, target: OrderUuid): Promise<string> {
  const pair = await findOrderPair(deps.db, account.owner, account.hotkey, target);
  if (pair !== null) return pair;
  rejectUnlessTrading(account);
  throw new ApiError('V2_ORDER_UNKNOWN');
}

const orderPoll: Poll = (intent) => `${ORDERS}/${nameOf(intent)}`;
const intentPoll: Poll = ({ id }) => `/v2/trading/intents/${id}`;

/**
 * Waits for as long as the caller prefers. Responds with the outcome, or with 202 and where to poll with the same
 * credentials.
 */
async function respond(call: AnyCall, accepted: Accepted, poll: Poll, target?: OrderUuid) {
  return orderReply(await call.settled(accepted), poll, target);
}
