import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import type { Reply } from '../support/caller.ts';
import { control, restingOf, venueOf } from '../support/orders.ts';
import { compareNow } from '../support/protection.ts';
import type { TestService } from '../support/service.ts';
import { type Away, BASES, changesOf, EDITS, exitsOf, HOW, type Placing, rounded, termsOf } from './network-terms.ts';
import { FATES, type Fate, LOOKS, type Look, type Wire } from './network-wire.ts';

const ORDERS = '/v1/orders/netvenue';
const PLAIN = ['close', 'read', 'audit', 'pause', 'again', 'restartMiner', 'handFlat', 'handCancelExits'] as const;

/** `fate`: of the next signal, which is that of this verb if it sends one. */
type Act = { other: boolean; fate: Fate | null } & (
  | ({ do: 'place'; named: boolean } & Placing)
  | ({ do: 'protect'; part: boolean } & Away)
  | ({ do: 'edit'; how: (typeof EDITS)[number]; which: number } & Away)
  | { do: 'cancel' | 'handCancel'; which: number }
  | { do: (typeof PLAIN)[number] }
  | { do: 'price'; percent: number }
  | { do: 'market'; open: boolean }
  | { do: 'handTrade'; side: 'LONG' | 'SHORT' }
  | { do: 'eliminate' }
);
/** What somebody does. `together`: the next one does not wait for the end of it. */
type Step = { act: Act; together: boolean };
export type Life = { steps: Step[]; looks: Look[] };

/** A trader whose life is under way: its pairs with their prices, and the orders that it has named or was told of. */
export type Living = {
  trader: Awaited<ReturnType<TestService['trader']>>;
  pairs: readonly [string, string];
  prices: Map<string, number>;
  orders: { id: string; pair: string }[];
  last: { body: object; pair: string } | null;
  /** Replies that say that the service itself failed. */
  faults: Reply[];
};

const SENT = new Set<string>(['place', 'protect', 'edit', 'cancel', 'close', 'again']);
const away = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ tp: null, sl: null }) },
  { weight: 2, arbitrary: fc.record({ tp: fc.constantFrom(null, 3, 6), sl: fc.constantFrom(null, 3, 6, 3, 6, -2) }) },
);
const side = fc.constantFrom('LONG', 'LONG', 'SHORT');
const of = <Name extends Act['do']>(name: Name) => fc.constant(name);
const which = fc.nat(9);
const kind = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        do: of('place'),
        how: fc.constantFrom(...HOW),
        side,
        named: fc.boolean(),
        parts: fc.nat(5).map((n) => n === 0),
        away,
      })
      .map(({ away: exits, ...order }) => ({ ...order, ...exits })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(away, fc.nat(3)).map(([exits, n]) => ({ do: 'protect' as const, part: n === 0, ...exits })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ do: of('edit'), how: fc.constantFrom(...EDITS), which, away })
      .map(({ away: exits, ...edit }) => ({ ...edit, ...exits })),
  },
  { weight: 4, arbitrary: fc.record({ do: of('cancel'), which }) },
  { weight: 3, arbitrary: of('close').map((name) => ({ do: name })) },
  { weight: 5, arbitrary: fc.constantFrom(...PLAIN).map((name) => ({ do: name })) },
  { weight: 1, arbitrary: fc.record({ do: of('handCancel'), which }) },
  { weight: 1, arbitrary: fc.record({ do: of('handTrade'), side }) },
  { weight: 7, arbitrary: fc.record({ do: of('price'), percent: fc.constantFrom(-7, -4, -2, 0, 0, 2, 4, 7) }) },
  { weight: 1, arbitrary: fc.record({ do: of('market'), open: fc.boolean() }) },
  { weight: 1, arbitrary: of('eliminate').map((name) => ({ do: name })) },
);
const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.constantFrom(...FATES) },
  { weight: 1, arbitrary: fc.constant('unacknowledged' as const) },
);
const act = fc
  .tuple(kind, fate, fc.nat(3))
  .map(([one, drawn, n]) => ({ ...one, fate: SENT.has(one.do) ? drawn : null, other: n === 0 })) as fc.Arbitrary<Act>; // as: the names are those of the acts
const look = fc.oneof(
  { weight: 7, arbitrary: fc.constant('whole' as const) },
  { weight: 3, arbitrary: fc.constantFrom(...LOOKS) },
);
export const lives: fc.Arbitrary<Life> = fc.record({
  steps: fc.array(fc.record({ act, together: fc.nat(3).map((n) => n === 0) }), { minLength: 6, maxLength: 16 }),
  looks: fc.array(look, { minLength: 1, maxLength: 9 }),
});

/** Carries out what a partner, its trader's own software, the network or the market does. */
export async function take(wire: Wire, living: Living, one: Act): Promise<unknown> {
  const { service } = wire;
  const { trader, orders } = living;
  const { traderId } = trader;
  const pair = living.pairs[one.other ? 1 : 0];
  const price = living.prices.get(pair) ?? 0;
  const post = (path: string, body: object) =>
    told(living, pair, trader.post(ORDERS + path, body, { prefer: 'wait=2' }));
  const byHand = (signal: Omit<Signal, 'subaccount_id'>) =>
    wire.alone(traderId, () => venueOf(service).submit({ ...signal, subaccount_id: Number(traderId) }));
  if (one.fate) wire.hinder(traderId, one.fate);
  switch (one.do) {
    case 'place': {
      const order_uuid = randomUUID();
      const body = { trade_pair: pair, ...termsOf(one, price), ...(one.named && { order_uuid }) };
      if (one.named) orders.push({ id: order_uuid, pair });
      living.last = { body, pair };
      return post('', body);
    }
    case 'again': // under the same name, if it has one
      return living.last && told(living, living.last.pair, trader.post(ORDERS, living.last.body, { prefer: 'wait=2' }));
    case 'protect': {
      const isLong = await isHeldLong(service, living, pair);
      const exits = exitsOf(isLong, one, price);
      const part = one.part ? { quantity: rounded(200 / price) } : {};
      return Object.keys(exits).length > 0 ? post('/tp-sl', { trade_pair: pair, ...exits, ...part }) : null;
    }
    case 'close':
      return post('/close', { trade_pair: pair });
    case 'cancel': {
      const target = orders.at(-1 - (one.which % Math.max(1, orders.length)));
      const path = target && `${ORDERS}/${target.id}?trade_pair=${target.pair}`;
      return path && told(living, target.pair, trader.delete(path, { prefer: 'wait=2' }));
    }
    case 'edit': {
      const target = orders.at(-1 - (one.which % Math.max(1, orders.length)));
      const at = living.prices.get(target?.pair ?? '') ?? 0;
      const body = target && { trade_pair: target.pair, ...changesOf(one, at) };
      return (
        target && told(living, target.pair, trader.post(`${ORDERS}/${target.id}/edit`, body, { prefer: 'wait=2' }))
      );
    }
    case 'read':
      await trader.get(ORDERS);
      return trader.get('/v1/positions/netvenue');
    case 'audit':
      return compareNow(service.db, { traderId }, 1);
    case 'pause':
      return wait(400);
    case 'restartMiner':
      return control(service, 'restart-miner', {});
    case 'price':
      living.prices.set(pair, rounded((BASES[pair] ?? 0) * (1 + one.percent / 100)));
      return service.miner.setPrice(pair, living.prices.get(pair) ?? 0);
    case 'market':
      return control(service, 'price', { pair, open: one.open });
    case 'eliminate':
      return control(service, 'subaccount', { subaccount_id: Number(traderId), elimination: 'MAX_TOTAL_DRAWDOWN' });
    case 'handCancelExits':
    case 'handCancel': {
      const resting = await restingOf(service, trader);
      const exits = resting.filter(({ executionType }) => executionType === 'BRACKET');
      const order = one.do === 'handCancel' ? resting[one.which % Math.max(1, resting.length)] : exits[0];
      return order && byHand({ execution_type: 'LIMIT_CANCEL', order_uuid: order.uuid as Signal['order_uuid'] }); // as: the network's name
    }
    case 'handFlat':
      return byHand({ ...atMarket(pair), order_type: 'FLAT' });
    case 'handTrade':
      return byHand({ ...atMarket(pair), order_type: one.side, quantity: rounded(300 / price) });
  }
}

/** An order of other software, under any name. */
const atMarket = (trade_pair: string) => ({
  execution_type: 'MARKET' as const,
  order_uuid: randomUUID() as Signal['order_uuid'], // as: any name
  trade_pair,
});

async function told({ orders, faults }: Living, pair: string, replying: Promise<Reply>): Promise<Reply> {
  const reply = await replying;
  const { order_uuid: id } = reply.body ?? {};
  if (reply.body?.code === 'INTERNAL') faults.push(reply);
  if (typeof id === 'string' && !orders.some((order) => order.id === id)) orders.push({ id, pair });
  return reply;
}

async function isHeldLong(service: TestService, { trader }: Living, pair: string): Promise<boolean> {
  const entries = service.miner.ledger
    .entries()
    .filter((one) => one.subaccount_id === Number(trader.traderId) && one.pair === pair);
  return entries.reduce((sum, { kind: what, detail }) => sum + (FILLS.has(what) ? Number(detail.quantity) : 0), 0) >= 0;
}

/** The kinds of entries of the network's ledger that are executions. */
export const FILLS = new Set(['market', 'fill', 'flat_all', 'elimination']);
