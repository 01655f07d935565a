import { expect } from 'chai';
import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import { compare, plus } from '../../src/kernel/decimals.ts';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import type { Fill, OrderRecord } from '../../src/venues/exchange/adapter/types.ts';
import { cancelDirectly, changeDirectly, exchangeOf, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { followed, startStreamed } from '../support/streamed.ts';
import { fates, mistold } from './exchange-messages.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: { order_uuid: string; lifecycle: string; executed: { filled_size: string } } };

const SEED = Number(process.env.ORDERS_SEED ?? 62);
const RUNS = Number(process.env.ORDERS_RUNS ?? 4);
const LAG_MS = 300;
const ORDERS = '/v1/orders/exvenue';
/** The sandbox fills half of an order of this size at once, if its price is reached. */
const HALF = '0.0505';

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change'),
      size: fc.constantFrom('0.02', '0.03', HALF),
      price: fc.constantFrom('97000', '98000', '100000'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('price'), mid: fc.constantFrom('97500', '98500', '99500') }) },
  { weight: 3, arbitrary: fc.constant({ do: 'read' }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' }) },
) as fc.Arbitrary<Step>; // as: the names above are those of the steps
type Step = { do: 'change'; size: string; price: string } | { do: 'price'; mid: string } | { do: 'read' | 'cancel' };

describe('an order that its trader changes and cancels at the exchange', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed({ EXVENUE_READ_LAG_MS: String(LAG_MS) });
  });
  after(() => service.stop());

  it('is here what it is there, in any order of its changes, its fills, and what is streamed and read of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { minLength: 3, maxLength: 8 }),
        fates,
        async (isHalf, taken, told) => {
          service.exchange.setMid('BTC', '100000');
          const trader = await service.wallet();
          const terms = {
            pair: 'BTC',
            side: 'long',
            order_type: 'limit',
            size: isHalf ? HALF : '0.02',
            price: isHalf ? 100_000 : 99_000,
          };
          const id: string = (await trader.post(ORDERS, terms)).body.order_id;
          await followed(service, trader);
          service.exchange.stream.alter(mistold(told));
          for (const one of taken) {
            await take(trader, id, one);
            await neverEndsEarly(trader, id);
          }
          service.exchange.stream.alter(null);
          await atRest(trader, id);
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });

  const cloid = (id: string): string => cloidOf(id as never); // as: an order's id is its intent's

  async function take(trader: Trader, id: string, one: Step): Promise<void> {
    const isOpen = service.exchange.hasOpen(trader.wallet, cloid(id));
    if (one.do === 'read') await readWallets(service);
    else if (one.do === 'price') service.exchange.setMid('BTC', one.mid);
    else if (isOpen && one.do === 'cancel') await cancelDirectly(service, trader, cloid(id));
    else if (isOpen && one.do === 'change') await changeDirectly(service, trader, { ...one, cloid: cloid(id) });
  }

  const lifecycleOf = (id: string) =>
    service.db.oneFirst(sql.type(z.object({ lifecycle: z.string() }))`select lifecycle from orders where id = ${id}`);

  /** An order that is open under any of its numbers goes on: nothing here may say otherwise at any time. */
  async function neverEndsEarly(trader: Trader, id: string): Promise<void> {
    const lifecycle = await lifecycleOf(id);
    if (service.exchange.hasOpen(trader.wallet, cloid(id))) expect(lifecycle).to.equal('resting');
  }

  /** The orders that the exchange had under one client order id, the newest first, and all that it executed of them. */
  async function truthOf({ wallet }: Trader, id: string): Promise<{ newest: OrderRecord; fills: Fill[] }> {
    const [history, fills] = await Promise.all([
      exchangeOf(service).historicalOrders(wallet),
      exchangeOf(service).fills(wallet, { fromMs: 0 }),
    ]);
    if (history.kind !== 'found' || fills.kind === 'unreadable') throw new Error('unreadable');
    const own = history.data.filter(({ order }) => order.cloid === cloid(id));
    const newest = own.reduce((a, b) => (a.order.oid > b.order.oid ? a : b));
    return { newest, fills: (fills.kind === 'found' ? fills.data : []).filter((fill) => fill.cloid === cloid(id)) };
  }

  async function atRest(trader: Trader, id: string): Promise<void> {
    const { newest, fills } = await truthOf(trader, id);
    const lifecycle = newest.state === 'open' ? 'resting' : newest.state;
    const filled = fills.reduce((sum, { size }) => plus(sum, size), '0');
    await new Promise((resolve) => setTimeout(resolve, LAG_MS + 100)); // until no read can be behind
    await until(
      'it is known',
      async () => {
        await readWallets(service);
        const { body } = await trader.get(`${ORDERS}/${id}`);
        const recorded = sql.type(z.object({ filled: z.string() }))`
        select executed ->> 'filled_size' filled from orders where id = ${id}`;
        return (
          ((await lifecycleOf(id)) === lifecycle &&
            body.filled_size === filled &&
            (await service.db.oneFirst(recorded)) === filled) ||
          null
        );
      },
      10_000,
    );

    const { body: shown } = await trader.get(`${ORDERS}/${id}`);
    const listed = ((await trader.get(ORDERS)).body as { order_id: string }[]).filter(
      ({ order_id }) => order_id === id,
    );
    expect(listed).to.have.length(lifecycle === 'resting' ? 1 : 0);
    expect(shown.fills.map(({ trade_id }: { trade_id: string }) => trade_id).sort()).to.deep.equal(
      fills.map(({ tradeId }) => String(tradeId)).sort(),
    );
    await isTold(trader, id, { lifecycle, filled });
    await isStated(trader, id, { filled, fills });
  }

  /** Each event says at least what was filled before, and the end once. */
  async function isTold(trader: Trader, id: string, { lifecycle, filled }: { lifecycle: string; filled: string }) {
    const events = ((await trader.get('/v1/events?limit=500')).body as Event[]).filter(
      ({ type, data }) => type === 'order.updated' && data.order_uuid === id,
    );
    const sizes = events.map(({ data }) => data.executed.filled_size);
    expect(sizes).to.deep.equal(sizes.toSorted(compare));
    expect(sizes.at(-1)).to.equal(filled);
    expect(events.at(-1)?.data.lifecycle).to.equal(lifecycle);
  }

  /** Statements have all that was executed, once, and the fee of each execution. */
  async function isStated(trader: Trader, id: string, { filled, fills }: { filled: string; fills: Fill[] }) {
    type Line = { trader_id: string; reference: string; quantity: string; amount: string };
    const of = async (kind: string) =>
      ((await trader.get(`/v1/statements?kind=${kind}&limit=500`)).body as Line[]).filter(
        ({ trader_id }) => trader_id === trader.wallet,
      );
    const stated = (await of('fill')).filter(({ reference }) => reference === id);
    expect(stated.reduce((sum, { quantity }) => plus(sum, quantity), '0')).to.equal(filled);
    const fees = (await of('fee')).map(({ reference }) => reference);
    expect(fees.sort()).to.deep.equal(fills.map(({ tradeId }) => String(tradeId)).sort());
  }
});
