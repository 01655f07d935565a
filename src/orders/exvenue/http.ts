import type { components } from '../../contract/types.ts';
import type { Call, Handler } from '../../edge/handler.ts';
import type { Accepted } from '../../intents/accept.ts';
import { pendingHeaders, resultOf } from '../../intents/answers.ts';
import type { Intent } from '../../intents/intent.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { cancelPending } from './cancels.ts';
import * as intents from './intents.ts';
import { listDexesTraded, listExchangeOrders } from './queries.ts';
import { coinOf, decimal, displayPair, type ExchangeTerms, intentIdOf } from './rules.ts';
import { closingTerms, openOrder, shownOrder, untold } from './views.ts';

type Schemas = components['schemas'];
type AnyCall = Pick<Call, 'runtime' | 'asking' | 'settled'>;

export const listExvenueOrders: Handler<'listExvenueOrders'> = async ({ runtime, principal, header }) => {
  const wallet = header['Trader-ID'].toLowerCase();
  const dexes = ['', ...(await listDexesTraded(runtime.db, wallet))];
  const looks = await Promise.all(dexes.map((dex) => runtime.reads.exchangeOrders(wallet, dex)));
  if (looks.some(({ kind }) => kind === 'unreadable')) throw new Refusal('VENUE_UNREADABLE');
  const orders = looks.flatMap((open) => (open.kind === 'found' ? open.said : []));
  const ids = orders.flatMap(({ cloid }) => (cloid === null ? [] : intentIdOf(cloid)));
  const own = new Map((await listExchangeOrders(runtime.db, principal.owner, ids)).map((order) => [order.id, order]));
  return {
    status: 200,
    body: orders.map((order) => openOrder(order, order.cloid ? own.get(intentIdOf(order.cloid)) : undefined)),
  };
};

export const submitExvenueOrder: Handler<'submitExvenueOrder'> = async (call) => {
  const accepted = await intents.placeExchangeOrder(asking(call, call.header['Trader-ID']), call.body);
  return answered(call, accepted, (intent) => {
    const { terms } = intent.asked as { terms: ExchangeTerms };
    return shownOrder(intent, terms, untold(terms));
  });
};

export const closeExvenuePosition: Handler<'closeExvenuePosition'> = async (call) => {
  const accepted = await intents.closeExchangePosition(asking(call, call.header['Trader-ID']), call.body);
  const terms = closingTerms(displayPair(coinOf(call.body.pair)));
  return answered(call, accepted, (intent) => shownOrder(intent, terms, untold(NOTHING_KNOWN)));
};

const NOTHING_KNOWN = { take_profit: null, stop_loss: null, size: '0', size_in_usd: true, price: null };

export const setExvenueTpSl: Handler<'setExvenueTpSl'> = async (call) => {
  const { body } = call;
  const accepted = await intents.protectExchangePosition(asking(call, call.header['Trader-ID']), body);
  return answered(call, accepted, (): Schemas['TpSlResult'] => ({
    pair: displayPair(coinOf(body.pair)),
    tp_order_id: null,
    sl_order_id: null,
    trigger_status: 'pending_parent_fill',
    trigger_error: null,
    take_profit: body.take_profit === undefined ? null : decimal(body.take_profit),
    stop_loss: body.stop_loss === undefined ? null : decimal(body.stop_loss),
  }));
};

export const cancelExvenueOrder: Handler<'cancelExvenueOrder'> = async (call) => {
  const who = asking(call, call.header['Trader-ID']);
  return answered(call, await intents.cancelExchangeOrders(who, [Number(call.path.order_id)]), () => cancelPending);
};

export const cancelAllExvenueOrders: Handler<'cancelAllExvenueOrders'> = async (call) =>
  answered(
    call,
    await intents.cancelExchangeOrders(asking(call, call.header['Trader-ID']), 'all'),
    () => cancelPending,
  );

const asking = ({ runtime, asking }: AnyCall, wallet: string): intents.ExchangeAsking => ({
  accept: runtime.acceptExchangeOrder,
  asking,
  wallet: wallet.toLowerCase(),
  deadlineMs: runtime.config.ORDER_DEADLINE_MS,
});

/** Waits as long as preferred, then answers with the outcome as it was recorded, or 202 and where to poll. */
async function answered<Body>(call: AnyCall, accepted: Accepted, pending: (intent: Intent) => Body) {
  const intent = await call.settled(accepted);
  const result = resultOf(intent);
  return result
    ? { status: 200 as const, body: result as Body } // as: the outcome of this kind wrote it in the contract's shape
    : { status: 202 as const, body: pending(intent), headers: pendingHeaders(`/v1/intents/${intent.id}`) };
}
