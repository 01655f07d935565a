import type { z } from 'zod';
import type { CallWith, Handler } from '../../../contract/handler.ts';
import type { Accepted, SubmitDeps } from '../../../intents/accept.ts';
import { pendingHeaders, resultOf, waitMember } from '../../../intents/follow.ts';
import type { Intent } from '../../../intents/intent.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { coinOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import type { VenueReads } from '../../reads.ts';
import { cancelPending } from './cancel-result.ts';
import type { NewExchangeOrder } from './intents.ts';
import * as intents from './intents.ts';
import { readOpenOrders } from './life/open-orders.ts';
import { readOrder } from './life/read-order.ts';
import { place } from './place.ts';
import { cancellationResult, exitsResult, orderResult } from './results.ts';
import { optionalDecimal } from './rules.ts';
import { closingTerms, NOTHING_KNOWN, pendingReport, shownOrder } from './views.ts';

type Deps = SubmitDeps<'acceptExchangeOrder', NewExchangeOrder, 'ORDER_DEADLINE_MS'> & { reads: VenueReads };

type AnyCall = Pick<CallWith<Deps>, 'deps' | 'context' | 'settled'>;

/** Lists a wallet's open orders at the exchange, wherever they were placed, joined with our records. A cursor is a number: its order may have ended. */
export const listExvenueOrders: Handler<'listExvenueOrders', Deps> = async ({ deps, principal, header, query }) => {
  const orders = await readOpenOrders(deps, principal.owner, header['Trader-ID'].toLowerCase());
  const cursorOf = ({ ex_order_id }: (typeof orders)[number]) => String(ex_order_id);
  const isKnown = async (cursor: string) => /^\d{1,18}$/.test(cursor);
  return listPage(query, { path: '/v1/orders/exvenue', cursorOf, isKnown }, async ({ cursor, limit }) =>
    orders.filter((order) => cursor === null || Number(cursorOf(order)) < Number(cursor)).slice(0, limit),
  );
};

/** Shows one order of a wallet from its acceptance to its end. Throws V1_ORDER_UNKNOWN and VENUE_UNREADABLE. */
export const getExvenueOrder: Handler<'getExvenueOrder', Deps> = async ({ deps, principal, path, header }) => {
  const wallet = header['Trader-ID'].toLowerCase();
  const order = await readOrder(deps, { owner: principal.owner, wallet, name: path.order_id });
  if (!order) throw new ApiError('V1_ORDER_UNKNOWN');
  return { status: 200, body: order };
};

/** Places an order. */
export const submitExvenueOrder: Handler<'submitExvenueOrder', Deps> = async (call) => {
  const accepted = await intents.placeExchangeOrder(context(call, call.header['Trader-ID']), call.body);
  const pending = (intent: Intent) => {
    const { terms } = place.request.parse(intent.request);
    return shownOrder(intent, terms, pendingReport(terms));
  };
  return respond(call, accepted, { schema: orderResult, pending, poll: orderPoll });
};

/** Closes the position in a pair. */
export const closeExvenuePosition: Handler<'closeExvenuePosition', Deps> = async (call) => {
  const accepted = await intents.closeExchangePosition(context(call, call.header['Trader-ID']), call.body);
  const terms = closingTerms(displayPair(coinOf(call.body.pair)));
  const pending = (intent: Intent) => shownOrder(intent, terms, pendingReport(NOTHING_KNOWN));
  return respond(call, accepted, { schema: orderResult, pending, poll: orderPoll });
};

/** Sets the exits of the position in a pair. */
export const setExvenueTpSl: Handler<'setExvenueTpSl', Deps> = async (call) => {
  const { body } = call;
  const accepted = await intents.protectExchangePosition(context(call, call.header['Trader-ID']), body);
  const pending = () => ({
    pair: displayPair(coinOf(body.pair)),
    tp_order_id: null,
    sl_order_id: null,
    trigger_status: 'pending_parent_fill' as const,
    trigger_error: null,
    take_profit: optionalDecimal(body.take_profit),
    stop_loss: optionalDecimal(body.stop_loss),
  });
  return respond(call, accepted, { schema: exitsResult, pending, poll: intentPoll });
};

/** Cancels one open order. */
export const cancelExvenueOrder: Handler<'cancelExvenueOrder', Deps> = async (call) =>
  cancelled(call, await intents.cancelExchangeOrder(context(call, call.header['Trader-ID']), call.path.order_id));

/** Cancels all open orders of a wallet. */
export const cancelAllExvenueOrders: Handler<'cancelAllExvenueOrders', Deps> = async (call) =>
  cancelled(call, await intents.cancelAllExchangeOrders(context(call, call.header['Trader-ID'])));

const cancelled = (call: AnyCall, accepted: Accepted) =>
  respond(call, accepted, { schema: cancellationResult, pending: () => cancelPending, poll: intentPoll });

const context = ({ deps, context }: AnyCall, wallet: WalletAddress): intents.ExchangeRequestContext => ({
  accept: deps.acceptExchangeOrder,
  context,
  wallet: wallet.toLowerCase(),
  deadlineMs: deps.config.ORDER_DEADLINE_MS,
});

const orderPoll = (intentId: IntentId) => `/v1/orders/exvenue/${intentId}`;
const intentPoll = (intentId: IntentId) => `/v1/intents/${intentId}`;

/** How the outcome of a verb is shown: the schema of its result, what stands for it while it is pending, and where to poll. */
type ResponseOf<Shape extends z.ZodRawShape> = {
  schema: z.ZodObject<Shape>;
  pending: (intent: Intent) => NoInfer<z.output<z.ZodObject<Shape>>>;
  poll: (intentId: IntentId) => string;
};

/**
 * Waits for as long as the caller prefers. Responds with the recorded outcome, or with 202 and where to poll. A member that the
 * record does not hold is returned as while it is pending.
 */
async function respond<Shape extends z.ZodRawShape>(
  call: AnyCall,
  accepted: Accepted,
  { schema, pending, poll }: ResponseOf<Shape>,
) {
  const intent = await call.settled(accepted);
  const result: Record<string, unknown> | null = resultOf(intent, schema);
  const shown = pending(intent);
  if (!result)
    return {
      status: 202 as const,
      body: { ...shown, ...waitMember(intent) },
      headers: pendingHeaders(poll(intent.id), intent),
    };
  const members = Object.entries(shown).map(([name, otherwise]) => [name, result[name] ?? otherwise]);
  return { status: 200 as const, body: Object.fromEntries(members) as typeof shown }; // as: each member is of its schema
}
