import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOn, openOids } from '../support/exchange.ts';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const SLOW_MS = 40;

/** The exchange behind a proxy that takes its time for actions and notes how many are in flight at once. */
async function startSlow() {
  const seen = { inFlight: 0, most: 0, kinds: [] as string[] };
  const proxy: VenueProxy = await startProxy(async ({ action }, forward) => {
    if (!action) return forward();
    seen.kinds.push(action.type);
    seen.most = Math.max(seen.most, ++seen.inFlight);
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const reply = await forward();
    seen.inFlight -= 1;
    return reply;
  });
  return { seen, proxy };
}

describe('a burst of orders of one wallet', () => {
  let slow: Awaited<ReturnType<typeof startSlow>>;
  let service: TestService;
  before(async () => {
    slow = await startSlow();
    service = await startService({ settings: { EXVENUE_URL: slow.proxy.url } });
    slow.proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await slow.proxy.close();
  });
  beforeEach(() => Object.assign(slow.seen, { inFlight: 0, most: 0, kinds: [] }));

  const LIMIT = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'limit', price: 50_000 };

  it('is sent beside each other, each order once, and a cancel-all behind it ends all of them', async () => {
    const trader = await service.wallet();
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) await trader.post(ORDERS, { ...LIMIT, client_order_id: id }, { prefer: 'wait=0' });

    const { body } = await trader.delete(ORDERS);

    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 30 });
    expect(effectsOn(service, trader, 'placed').map(({ key }) => key)).to.have.members(
      ids.map((id) => cloidOf(orderIdOf(trader.owner, id))),
    );
    expect(slow.seen.kinds).to.deep.equal([...ids.map(() => 'order'), 'cancelByCloid']);
    expect(slow.seen.most).to.be.within(2, 8);
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('goes one after the other where orders depend on each other: the sides of a pair, reducing ones, leverage', async () => {
    const trader = await service.wallet();
    const market = { pair: 'BTC', size: '0.01', order_type: 'market' };
    const orders = [
      { ...market, side: 'long' },
      { ...market, side: 'short', reduce_only: true },
      { ...market, side: 'short' },
      { ...market, side: 'long', reduce_only: true },
      { ...market, side: 'long', leverage: 3 },
      { ...market, side: 'short' },
    ];

    const sent = [];
    for (const order of orders) sent.push(await trader.post(ORDERS, order, { prefer: 'wait=0' }));
    const ended = await Promise.all(sent.map((reply) => trader.pollIntent(reply, 20_000)));

    expect(ended.map(({ state }) => state)).to.deep.equal(orders.map(() => 'succeeded'));
    expect(slow.seen.most).to.equal(1);
  });
});
