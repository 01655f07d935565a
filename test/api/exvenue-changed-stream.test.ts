import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { cancelDirectly, changeDirectly } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { followed, freezeReads, startStreamed } from '../support/streamed.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Row = { status: string };

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 50_000 };
const CHANGED = { size: '0.01', price: '49000' };
/** In which everything that was told is recorded. */
const TOLD_MS = 1_200;

/** The exchange tells a change as the end of the first number and as another order, in two messages: see venues/exchange.md#actions. */
describe('an order that its trader changes at the exchange, whose stream is followed', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed();
  });
  after(() => service.stop());
  afterEach(() => {
    service.exchange.stream.alter(null);
    service.exchange.setBehind(0);
  });

  const place = async (trader: Trader): Promise<string> => (await trader.post(ORDERS, LIMIT)).body.order_id;
  const change = (trader: Trader, id: string) =>
    changeDirectly(service, trader, { ...CHANGED, cloid: cloidOf(id as never) }); // as: an order's id is its intent's
  const lifecycleOf = (id: string) =>
    service.db.oneFirst(sql.type(z.object({ lifecycle: z.string() }))`select lifecycle from orders where id = ${id}`);

  /** Only ends of orders are told: the other half of a change is late, or lost. */
  const tellEndsAlone = () =>
    service.exchange.stream.alter(({ channel, data }) => {
      if (channel === 'orderUpdates') return [{ channel, data: (data as Row[]).filter(isEnd) }]; // as: so the venue says it
      if (channel !== 'userHistoricalOrders') return [{ channel, data }];
      const { orderHistory, ...user } = data as { orderHistory: Row[] }; // as: so the venue says it
      return [{ channel, data: { ...user, orderHistory: orderHistory.filter(isEnd) } }];
    });
  const isEnd = ({ status }: Row) => status !== 'open';

  for (const areReadsBehind of [false, true])
    it(`rests while only the end of its first number is reported${areReadsBehind ? ', and reads are behind' : ''}`, async () => {
      const trader = await service.wallet();
      const id = await place(trader);
      await followed(service, trader);
      if (areReadsBehind) await freezeReads(service, trader);
      tellEndsAlone();

      await change(trader, id);
      await new Promise((resolve) => setTimeout(resolve, TOLD_MS));

      expect(await lifecycleOf(id)).to.equal('resting');
      expect((await trader.get(`${ORDERS}/${id}`)).body.status).to.equal('open');
      expect((await trader.get(ORDERS)).body).to.have.length(1);
    });

  it('rests when its wallet is followed only then, and the stream repeats the past', async () => {
    const trader = await service.wallet();
    service.exchange.stream.cut();
    const id = await place(trader);
    await change(trader, id);

    service.exchange.stream.open();
    await followed(service, trader);
    await new Promise((resolve) => setTimeout(resolve, TOLD_MS));

    expect(await lifecycleOf(id)).to.equal('resting');
  });

  it('has ended when it is read as cancelled: its trader has not changed it', async () => {
    const trader = await service.wallet();
    const id = await place(trader);
    await followed(service, trader);

    await cancelDirectly(service, trader, cloidOf(id as never)); // as: an order's id is its intent's

    await until('it is cancelled', async () => (await lifecycleOf(id)) === 'cancelled' || null, 4_000);
  });
});
