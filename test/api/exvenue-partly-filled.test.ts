import { expect } from 'chai';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { readWallets, restDirectly } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.02', order_type: 'limit', price: 90_000 };
const EXITS = { take_profit: 120_000, stop_loss: 80_000 };

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: { order_uuid: string; executed: Record<string, string> } };

/**
 * The exchange's record of an order is of its last change of status: its size is what was open when it came to rest, whatever was filled of it since.
 * See venues/exchange.md#rows.
 */
describe('an order of which a part is filled while it rests', () => {
  let service: TestService;
  let trader: Trader;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await service.wallet();
  });

  const cloid = (id: string) => cloidOf(id as never); // as: an order's id is its intent's
  const place = async (more = {}): Promise<string> => (await trader.post(ORDERS, { ...LIMIT, ...more })).body.order_id;

  it('is reported at the next read of its wallet, which had no position before', async () => {
    const id = await place();
    await readWallets(service); // the first reading asks for executions in any case
    expect(service.exchange.fillPart(trader.wallet, cloid(id))).to.equal(true);

    await readWallets(service);

    const events = ((await trader.get('/v1/events')).body as Event[]).filter(({ data }) => data.order_uuid === id);
    expect(events.at(-1)?.data.executed).to.include({ status: 'partial', filled_size: '0.01' });
    const { body: order } = await trader.get(`${ORDERS}/${id}`);
    expect(order).to.include({ status: 'partial', filled_size: '0.01' });
    expect(order.fills).to.have.length(1);
  });

  it('is shown as it was when its wallet was last read, and says so, until the next reading', async () => {
    const id = await place();
    const restingAt = Date.now();
    service.exchange.fillPart(trader.wallet, cloid(id));

    const { body: before } = await trader.get(`${ORDERS}/${id}`);
    await readWallets(service);
    const { body: after } = await trader.get(`${ORDERS}/${id}`);

    expect(before).to.include({ status: 'open', filled_size: '0' });
    expect(Date.parse(before.as_of)).to.be.below(restingAt);
    expect(after).to.include({ status: 'partial', filled_size: '0.01' });
    expect(Date.parse(after.as_of)).to.be.above(restingAt);
  });

  it('is reported and shown with that part, if the execution was read before the order, whose response was lost, was found', async () => {
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    const reply = await trader.post(ORDERS, LIMIT, { prefer: 'wait=0' });
    const id: string = reply.body.order_id;
    await until('the exchange has it', async () => service.exchange.fillPart(trader.wallet, cloid(id)) || null);
    await readWallets(service);

    await trader.pollIntent(reply, 20_000);

    const { body: order } = await trader.get(`${ORDERS}/${id}`);
    expect(order).to.include({ status: 'partial', filled_size: '0.01' });
    const [event] = ((await trader.get('/v1/events')).body as Event[]).filter(({ data }) => data.order_uuid === id);
    expect(event?.data.executed).to.include({ status: 'partial', filled_size: '0.01' });
  });

  it('has the time of the last read of its wallet that the exchange responded to', async () => {
    const id = await place();
    await readWallets(service);
    const awayAt = Date.now();
    service.exchange.faults.add({ kind: 'status_500', route: '/info' });
    service.exchange.fillPart(trader.wallet, cloid(id));
    await readWallets(service);

    const { body: order } = await trader.get(`${ORDERS}/${id}`);
    service.exchange.faults.clear();

    expect(order).to.include({ status: 'open', filled_size: '0' });
    expect(Date.parse(order.as_of)).to.be.below(awayAt);
  });

  it('is shown with that part if other software placed it', async () => {
    const name = `0x${'7'.repeat(32)}`;
    const [oid] = await restDirectly(service, trader, [{ size: '0.02', cloid: name }]);
    expect(service.exchange.fillPart(trader.wallet, name)).to.equal(true);

    const { body: order } = await trader.get(`${ORDERS}/${oid}`);

    expect(order).to.include({ status: 'partial', size: '0.02', filled_size: '0.01' });
    expect(order.fills.map(({ size }: { size: string }) => size)).to.deep.equal(['0.01']);
  });

  it('loses the exits of that part when it is cancelled, and the result says so', async () => {
    const id = await place(EXITS);
    await readWallets(service);
    service.exchange.fillPart(trader.wallet, cloid(id));
    await readWallets(service);

    const { body } = await trader.delete(`${ORDERS}/${id}`);

    expect(body.results[0].exits_cancelled).to.have.length(2);
    expect(body.results[0].message).to.match(/do not protect the part that was filled/);
  });
});
