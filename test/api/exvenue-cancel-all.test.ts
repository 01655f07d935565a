import { expect } from 'chai';
import { effectsOn, openOids, restDirectly, whenActing } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
/** Until bodies have expired and reads show everything, and some more; ten times the delay of reads comes later. */
const ENDED_MS = 8_500;

describe('cancelAllExvenueOrders', () => {
  let service: TestService;
  let restore = () => {};
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));
  afterEach(() => {
    restore();
    service.exchange.faults.clear();
  });

  const many = (count: number, price: string) => Array.from({ length: count }, () => ({ price }));
  /** Fills the orders that rest above 85,000. */
  const fall = (): undefined => {
    service.exchange.setMid('BTC', '85000');
  };
  const cancels = (trader: { wallet: string; privateKey: string }) =>
    effectsOn(service, trader, 'action').filter(({ detail }) => detail.type === 'cancel');

  it('sends batches no larger than the exchange accepts', async () => {
    const trader = await service.wallet();
    await restDirectly(service, trader, many(200, '50000'));
    await restDirectly(service, trader, many(5, '60000'));

    const reply = await trader.delete(ORDERS);

    expect(reply.body, JSON.stringify(reply.body.error)).to.include({
      status: 'ok',
      total_open_orders: 205,
      cancelled_count: 205,
      failed_count: 0,
    });
    expect(cancels(trader).map(({ detail }) => detail.items)).to.deep.equal([200, 5]);
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('reports cancelled orders next to an order that was filled meanwhile', async () => {
    const trader = await service.wallet();
    const [low, high, lowest] = await restDirectly(service, trader, [
      { price: '50000' },
      { price: '90000' },
      { price: '40000' },
    ]);
    restore = whenActing(service, fall);

    const { body } = await trader.delete(ORDERS);

    expect(body).to.include({ status: 'ok', cancelled_count: 2, failed_count: 0 });
    const statuses = Object.fromEntries(body.results.map((line: Line) => [line.ex_order_id, line.status]));
    expect(statuses).to.deep.equal({
      [String(low)]: 'cancelled',
      [String(high)]: 'already_closed',
      [String(lowest)]: 'cancelled',
    });
  });

  it('sends the next batch even when every order of one was filled meanwhile', async () => {
    const trader = await service.wallet();
    const [oldest] = await restDirectly(service, trader, many(1, '50000'));
    await restDirectly(service, trader, many(200, '90000'));
    restore = whenActing(service, fall);

    const { body } = await trader.delete(ORDERS);

    expect(body).to.include({ status: 'ok', total_open_orders: 201, cancelled_count: 1, failed_count: 0 });
    expect(effectsOn(service, trader, 'cancelled').map(({ detail }) => detail.oid)).to.deep.equal([oldest]);
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('is already_closed when all were filled meanwhile, and ok when there are none', async () => {
    const trader = await service.wallet();
    await restDirectly(service, trader, many(3, '90000'));
    restore = whenActing(service, fall);

    const filled = await trader.delete(ORDERS);
    const none = await trader.delete(ORDERS);

    expect(filled.body).to.include({ status: 'already_closed', cancelled_count: 0, failed_count: 0 });
    expect(none.body).to.include({ status: 'ok', total_open_orders: 0 });
  });

  it('settles by reconciliation when the response to a batch is lost', async () => {
    const trader = await service.wallet();
    await restDirectly(service, trader, many(200, '50000'));
    await restDirectly(service, trader, many(3, '50000'));
    restore = whenActing(service, (before) => (before === 1 ? 'accept_then_drop' : undefined));

    const intent = await trader.pollIntent(await trader.delete(ORDERS, { prefer: 'wait=0' }), 20_000);

    expect(intent, JSON.stringify(intent.problem)).to.include({ state: 'succeeded' });
    expect(intent.result).to.include({ status: 'ok', cancelled_count: 203, failed_count: 0 });
    expect(cancels(trader)).to.have.length(2);
  });

  it('distinguishes filled from cancelled orders although the response is lost', async () => {
    const trader = await service.wallet();
    const [low, high] = await restDirectly(service, trader, [{ price: '50000' }, { price: '90000' }]);
    restore = whenActing(service, () => fall() ?? 'accept_then_drop');

    const { result } = await trader.pollIntent(await trader.delete(ORDERS, { prefer: 'wait=0' }), 20_000);

    const statuses = Object.fromEntries(result.results.map((line: Line) => [line.ex_order_id, line.status]));
    expect(statuses).to.deep.equal({ [String(low)]: 'cancelled', [String(high)]: 'already_closed' });
  });

  it('has no effect when nothing was applied, and says so only once nothing can be', async () => {
    const trader = await service.wallet();
    const oids = await restDirectly(service, trader, many(2, '50000'));
    const expiredAt = Date.now() + Number(service.settings.EXVENUE_EXPIRES_MS) + 1_000;
    restore = whenActing(service, () => (Date.now() < expiredAt ? 'reset' : undefined));

    const intent = await trader.pollIntent(await trader.delete(ORDERS, { prefer: 'wait=0' }), 20_000);

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('NOT_CARRIED_OUT');
    expect(await openOids(service, trader)).to.have.members(oids);
  });

  it('is sent again when its first request was lost', async () => {
    const trader = await service.wallet();
    await restDirectly(service, trader, many(2, '50000'));
    restore = whenActing(service, (before) => (before === 0 ? 'reset' : undefined));

    const { body } = await trader.delete(ORDERS);

    expect(body).to.include({ status: 'ok', cancelled_count: 2, failed_count: 0 });
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('ends soon although its response was lost and one of the orders was never there', async () => {
    const trader = await service.wallet();
    const faults: ('reset' | 'accept_then_drop')[] = ['reset', 'accept_then_drop'];
    restore = whenActing(service, (before) => faults[before]);
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 50_000 };
    const placed = await trader.post(ORDERS, order, { prefer: 'wait=0' });
    await until('it is in doubt', async () => {
      const { body } = await trader.get(`/v1/intents/${placed.headers['intent-id']}`);
      return body.state === 'in_doubt' || null;
    });

    const intent = await trader.pollIntent(await trader.delete(ORDERS, { prefer: 'wait=0' }), ENDED_MS);

    expect(intent).to.include({ state: 'succeeded' });
  });

  it('includes orders on a builder dex', async () => {
    const trader = await service.wallet();
    service.exchange.fund(trader.wallet, '1000', 'xyz');
    const placed = await trader.post(ORDERS, {
      pair: 'xyz:TSLA',
      side: 'long',
      size: '1',
      order_type: 'limit',
      price: 200,
    });

    const listed = await trader.get(ORDERS);
    const { body } = await trader.delete(ORDERS);

    expect(placed.body, JSON.stringify(placed.body)).to.include({ status: 'open' });
    expect(listed.body).to.have.length(1);
    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader, 'xyz')).to.be.empty;
  });
});

type Line = { ex_order_id: string; status: string };
