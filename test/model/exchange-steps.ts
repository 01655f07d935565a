import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import { actDirectly, readWallets, whenActing } from '../support/exchange.ts';
import { compareNow } from '../support/protection.ts';
import type { TestService } from '../support/service.ts';
import type { Trader } from './exchange-told.ts';
import { askExchange, heldAt, openAt } from './exchange-truth.ts';

const ORDERS = '/v1/orders/exvenue';
const BTC = 1; // its asset at the sandbox
const HOW = ['rest', 'half', 'market', 'ioc', 'alo', 'reduce', 'reduceRest'] as const;
const PLAIN = ['close', 'cancelAll', 'read', 'audit', 'restart', 'scheduledCancel', 'liquidate', 'pause'] as const;
const ON_ONE = ['cancel', 'handCancel', 'handChange', 'venueEnds', 'fillPart'] as const;
const FAULTS: FaultKind[] = ['accept_then_drop', 'reset', 'status_500', 'cut_json', 'html_200'];

/** How far exits are from the price of their order, in percent. */
type Away = { tp: number | null; sl: number | null };
type Act =
  | ({ do: 'place'; how: (typeof HOW)[number]; side: 'long' | 'short' } & Away)
  | ({ do: 'protect' } & Away)
  | { do: (typeof PLAIN)[number] }
  | { do: (typeof ON_ONE)[number]; which: number; word: string }
  | { do: 'price'; mid: string }
  | { do: 'liquidity'; size: string | null }
  | { do: 'handTrade'; side: 'buy' | 'sell'; size: string }
  | { do: 'handExit'; kind: 'tp' | 'sl'; follows: boolean }
  | { do: 'fault'; kind: FaultKind };
/** What somebody does. `together`: the next one does not wait for the end of it. */
export type Step = { act: Act; together: boolean };

const away = fc.record({ tp: fc.constantFrom(null, 3, 6), sl: fc.constantFrom(null, 3, 6) });
const named = <Name extends Act['do']>(name: Name) => fc.constant(name);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        do: named('place'),
        how: fc.constantFrom(...HOW),
        side: fc.constantFrom('long', 'long', 'short'),
        away,
      })
      .map(({ away: exits, ...order }) => ({ ...order, ...exits })),
  },
  { weight: 3, arbitrary: away.map((exits) => ({ do: 'protect' as const, ...exits })) },
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN).map((name) => ({ do: name })) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(...ON_ONE),
      which: fc.nat(9),
      word: fc.constantFrom('marginCanceled', 'selfTradeCanceled'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: named('price'),
      mid: fc.constantFrom('94000', '97000', '98500', '100000', '101500', '103000', '106000'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: named('liquidity'), size: fc.constantFrom(null, '0.004', '0') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: named('handTrade'),
      side: fc.constantFrom('buy', 'sell'),
      size: fc.constantFrom('0.004', '0.01', '0.03'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: named('handExit'), kind: fc.constantFrom('tp', 'sl'), follows: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: named('fault'), kind: fc.constantFrom(...FAULTS) }) },
) as fc.Arbitrary<Act>; // as: the names above are those of the acts
export const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ act, together: fc.nat(3).map((n) => n === 0) }), {
  minLength: 4,
  maxLength: 12,
});

/** Carries out what a partner, its trader's own software, the exchange or the market does. */
export async function take(service: TestService, trader: Trader, act: Act): Promise<unknown> {
  const { exchange } = service;
  const { wallet } = trader;
  const mid = Number((await askExchange<{ BTC: string }>(service, { type: 'allMids' })).BTC);
  const byHand = (action: Action) => actDirectly(service, trader, action);
  switch (act.do) {
    case 'place':
      return trader.post(ORDERS, { pair: 'BTC', side: act.side, ...termsOf(act, mid) });
    case 'protect': {
      const exits = exitsOf((await heldAt(service, wallet)) >= 0, act, mid);
      return Object.keys(exits).length > 0 ? trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', ...exits }) : null;
    }
    case 'close':
      return trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    case 'cancelAll':
      return trader.delete(ORDERS);
    case 'read':
      return readWallets(service);
    case 'audit':
      return compareNow(service.db, { wallet }, 1);
    case 'pause':
      return wait(400);
    case 'restart':
      await service.stopWorkers();
      return service.startWorker();
    case 'price':
      return exchange.setMid('BTC', act.mid);
    case 'liquidity':
      return exchange.setLiquidity('BTC', act.size);
    case 'liquidate':
      return exchange.liquidate(wallet, 'BTC');
    case 'scheduledCancel':
      for (const { cloid } of await openAt(service, wallet))
        if (cloid) exchange.endOrder(wallet, cloid, 'scheduledCancel');
      return null;
    case 'handTrade':
      return byHand(placing({ ...across(act.side, mid), size: act.size, reduceOnly: false, timeInForce: 'ioc' }));
    case 'handExit':
      return exitByHand(await heldAt(service, wallet), act, mid, byHand);
    case 'fault': {
      const restore = whenActing(service, (before) => (before === 0 ? act.kind : void restore()));
      return null;
    }
    default:
      return takeOne(service, trader, act);
  }
}

/** What is done to one of the open orders. */
async function takeOne(service: TestService, trader: Trader, act: Extract<Act, { which: number }>): Promise<unknown> {
  const open = await openAt(service, trader.wallet);
  const order = open[act.which % Math.max(1, open.length)];
  if (!order) return null;
  const { oid, cloid } = order;
  switch (act.do) {
    case 'cancel':
      return trader.delete(`${ORDERS}/${oid}`);
    case 'handCancel':
      return actDirectly(service, trader, { kind: 'cancel', orders: [{ asset: BTC, oid }] });
    case 'handChange':
      return actDirectly(service, trader, { kind: 'replace', orders: [{ target: oid, order: changed(order) }] });
    case 'venueEnds':
      return cloid && service.exchange.endOrder(trader.wallet, cloid, act.word);
    case 'fillPart':
      return cloid && service.exchange.fillPart(trader.wallet, cloid);
  }
}

const exitsOf = (isLong: boolean, { tp, sl }: Away, price: number) => {
  const at = (percent: number) => Math.round(price * (1 + ((isLong ? 1 : -1) * percent) / 100));
  return { ...(tp && { take_profit: at(tp) }), ...(sl && { stop_loss: at(-sl) }) };
};

function termsOf({ how, side, ...exits }: Extract<Act, { do: 'place' }>, mid: number) {
  const isLong = side === 'long';
  const beside = { order_type: 'limit', price: Math.round(mid * (isLong ? 0.99 : 1.01)) };
  const touching = { order_type: 'limit', price: Math.round(mid * (isLong ? 1.001 : 0.999)) };
  const half = '0.0505'; // of this size the sandbox fills half at once
  if (how === 'reduce') return { order_type: 'market', size: '0.02', reduce_only: true };
  if (how === 'reduceRest') return { ...beside, size: '0.02', reduce_only: true };
  if (how === 'market') return { order_type: 'market', size: '0.01', ...exitsOf(isLong, exits, mid) };
  const terms = {
    rest: { ...beside, size: '0.01' },
    alo: { ...beside, size: '0.01', time_in_force: 'alo' },
    half: { ...touching, size: half },
    ioc: { ...touching, size: half, time_in_force: 'ioc' },
  }[how];
  return { ...terms, ...exitsOf(isLong, exits, terms.price) };
}

const placing = (order: object, grouping: 'none' | 'on_position' = 'none'): Extract<Action, { kind: 'place' }> => ({
  kind: 'place',
  grouping,
  orders: [{ asset: BTC, ...order } as OrderTerms], // as: of one of its shapes
});

const across = (side: 'buy' | 'sell', mid: number) => ({
  side,
  price: String(Math.round(mid * (side === 'buy' ? 1.02 : 0.98))),
});

async function exitByHand(
  held: number,
  { kind, follows }: Extract<Act, { do: 'handExit' }>,
  mid: number,
  byHand: (action: Action) => Promise<unknown>,
): Promise<unknown> {
  if (held === 0) return null;
  const price = String(Math.round(mid * ((kind === 'tp') === held > 0 ? 1.04 : 0.96)));
  const trigger = { price, kind, isMarket: true };
  const side = held > 0 ? ('sell' as const) : ('buy' as const);
  const order = { side, price, size: String(Math.abs(held)), reduceOnly: true, trigger };
  return byHand(placing(order, follows ? 'on_position' : 'none'));
}

/** An open order with a price that is a thousandth higher. */
function changed(order: Awaited<ReturnType<typeof openAt>>[number]): OrderTerms {
  const { cloid, side, sz, reduceOnly, isTrigger, orderType } = order;
  const higher = (price: string) => String(Math.round(Number(price) * 1.001));
  const kind = orderType.startsWith('Take') ? ('tp' as const) : ('sl' as const);
  return {
    asset: BTC,
    side: side === 'B' ? 'buy' : 'sell',
    price: higher(order.limitPx),
    size: sz.replace(/\.0$/, ''),
    reduceOnly,
    ...(cloid && { cloid }),
    ...(isTrigger
      ? { trigger: { price: higher(order.triggerPx), kind, isMarket: true } }
      : { timeInForce: 'gtc' as const }),
  };
}
