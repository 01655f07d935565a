import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { effectsOn } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

describe('a status word of the exchange that is unknown here', function () {
  this.timeout(30_000);
  const venue = { word: null as string | null, isListed: true };
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) => {
      if (type === 'frontendOpenOrders' && !venue.isListed) return jsonReply([]);
      const reply = await forward();
      if (type !== 'orderStatus' || venue.word === null || !reply) return reply;
      const record = JSON.parse(reply.text);
      if (record.order) record.order.status = venue.word;
      return jsonReply(record);
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => {
    Object.assign(venue, { word: null, isListed: true });
    service.exchange.faults.clear();
  });

  /** Sends a write whose response is lost, and looks for its effect once. */
  async function inDoubt(trader: Caller, path: string, body: object, task: string) {
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    const reply = await trader.post(path, body, { prefer: 'wait=0' });
    const intent_id = String(reply.headers['intent-id']);
    const look = async () => {
      await service.runTask(task, { intent_id });
      return (await trader.get(`/v1/intents/${intent_id}`)).body;
    };
    for (;;) {
      const { body: seen } = await trader.get(`/v1/intents/${intent_id}`);
      if (!['queued', 'running'].includes(seen.state)) break;
    }
    return { reply, look };
  }

  it('proves nothing of an order in doubt: it stays in doubt until something else does', async () => {
    const trader = await service.wallet();
    Object.assign(venue, { word: 'aNewWord', isListed: false });

    const { reply, look } = await inDoubt(trader, ORDERS, LIMIT, 'exchange/place');
    const blind = await look();
    venue.word = null;
    const after = await trader.pollIntent(reply, 20_000);

    expect(blind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(after).to.include({ state: 'succeeded' });
    expect(after.result).to.include({ status: 'open' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });

  it('does not hide that the order is listed as open', async () => {
    const trader = await service.wallet();
    venue.word = 'aNewWord';

    const { reply } = await inDoubt(trader, ORDERS, LIMIT, 'exchange/place');
    const after = await trader.pollIntent(reply, 20_000);

    expect(after).to.include({ state: 'succeeded' });
    expect(after.result).to.include({ status: 'open' });
  });

  it('proves nothing of exits in doubt either', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...LIMIT, order_type: 'market', price: undefined });
    venue.word = 'aNewWord';

    const exits = { pair: 'BTC', take_profit: 120_000, stop_loss: 80_000 };
    const { reply, look } = await inDoubt(trader, `${ORDERS}/tp-sl`, exits, 'exchange/protect');
    const blind = await look();
    venue.word = null;
    const after = await trader.pollIntent(reply, 20_000);

    expect(blind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(after).to.include({ state: 'succeeded' });
  });

  it('is not shown as the state of a resting order, whose record stays what it was', async () => {
    const trader = await service.wallet();
    const exits = { take_profit: 120_000, stop_loss: 80_000 };
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, ...exits });
    Object.assign(venue, { word: 'aNewWord', isListed: false });

    const { body } = await trader.get(`${ORDERS}/${order.order_id}`);

    expect(body).to.include({ status: 'open' });
    expect(body.exits.map(({ status }: { status: string }) => status)).to.deep.equal(['pending', 'pending']);
  });
});
