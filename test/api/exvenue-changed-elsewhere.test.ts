import { expect } from 'chai';
import { sql } from 'slonik';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { exchangeOf, openOids } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { freezeReads } from '../support/streamed.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Placed = { order_id: string; ex_order_id: string };

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 50_000 };

/** The exchange ends an order that is changed, and goes on with another one under the same client order id. */
describe('an order that its trader changes at the exchange', () => {
  let service: TestService;
  let closeProxy: () => Promise<void>;
  let areNumbersUnknown = false;
  before(async () => {
    const proxy = await startProxy(async ({ type, oid }, forward) =>
      areNumbersUnknown && type === 'orderStatus' && typeof oid === 'number'
        ? jsonReply({ status: 'unknownOid' })
        : forward(),
    );
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
    closeProxy = proxy.close;
  });
  after(async () => {
    await service.stop();
    await closeProxy();
  });
  afterEach(() => {
    areNumbersUnknown = false;
    service.exchange.setBehind(0);
  });
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  const place = async (trader: Trader): Promise<Placed> => (await trader.post(ORDERS, LIMIT)).body;

  /** Changes the price of an order without the service. Returns its new number. */
  async function change({ privateKey }: Trader, { order_id, ex_order_id }: Placed): Promise<string> {
    const venue = exchangeOf(service);
    const terms = {
      asset: 1,
      side: 'buy',
      price: '49000',
      size: '0.01',
      reduceOnly: false,
      timeInForce: 'gtc',
    } as const;
    const order = { ...terms, cloid: cloidOf(order_id as never) }; // as: an order's id is its intent's
    const nonce = Date.now() - 3_600_000; // behind the service's own
    const body = await venue
      .signerOf(privateKey)
      ?.sign({ kind: 'replace', orders: [{ target: Number(ex_order_id), order }] }, { nonce });
    const response = await venue.post(String(body), { firstSend: true });
    const [item] = response.kind === 'accepted' ? response.data.items : [];
    return String(item?.kind === 'resting' && item.oid);
  }

  it('is cancelled by its id', async () => {
    const trader = await service.wallet();
    const placed = await place(trader);
    const number = await change(trader, placed);

    const { body } = await trader.delete(`${ORDERS}/${placed.order_id}`);

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(body.results[0]).to.include({ order_id: placed.order_id, ex_order_id: number, status: 'cancelled' });
    expect(await openOids(service, trader)).to.deep.equal([]);
    expect((await trader.get(`${ORDERS}/${placed.order_id}`)).body.status).to.equal('cancelled');
    expect((await trader.delete(`${ORDERS}/${placed.order_id}`)).body.status).to.equal('already_closed');
  });

  it('is cancelled by its id, also while the exchange does not find its first number', async () => {
    const trader = await service.wallet();
    const placed = await place(trader);
    await change(trader, placed);
    areNumbersUnknown = true;

    const { body } = await trader.delete(`${ORDERS}/${placed.order_id}`);

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader)).to.deep.equal([]);
  });

  for (const by of ['its new number', 'a cancellation of all orders'])
    it(`is cancelled by ${by}, and named by its id`, async () => {
      const trader = await service.wallet();
      const placed = await place(trader);
      const number = await change(trader, placed);

      const { body } = await trader.delete(by === 'its new number' ? `${ORDERS}/${number}` : ORDERS);

      expect(body).to.include({ status: 'ok', cancelled_count: 1 });
      expect(body.results[0]).to.include({ order_id: placed.order_id, ex_order_id: number, status: 'cancelled' });
      const lifecycle = await service.db.oneFirst(
        sql.unsafe`select lifecycle from orders where id = ${placed.order_id}`,
      );
      expect(lifecycle).to.equal('cancelled');
    });

  for (const by of ['its id', 'a cancellation of all orders'])
    it(`is cancelled by ${by}, also while reads show it under its first number, and its first request is lost`, async () => {
      const trader = await service.wallet();
      const placed = await place(trader);
      await freezeReads(service, trader);
      await change(trader, placed);
      service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });

      const { body } = await trader.delete(by === 'its id' ? `${ORDERS}/${placed.order_id}` : ORDERS);

      expect(body).to.include({ status: 'ok', cancelled_count: 1 });
      expect(body.results[0]).to.include({ order_id: placed.order_id, status: 'cancelled' });
      service.exchange.setBehind(0);
      expect(await openOids(service, trader)).to.deep.equal([]);
    });

  it('is listed once, also while the exchange does not find its first number', async () => {
    const trader = await service.wallet();
    const placed = await place(trader);
    const number = await change(trader, placed);
    areNumbersUnknown = true;

    const { body } = await trader.get(ORDERS);

    expect(body.map((order: Placed) => [order.order_id, order.ex_order_id])).to.deep.equal([[placed.order_id, number]]);
  });

  for (const by of ['its number', 'a cancellation of all orders', 'new exits'])
    it(`is an exit that ends by ${by}, also while reads show it under its first number`, async () => {
      const trader = await service.wallet();
      await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
      const exit = { pair: 'BTC', stop_loss: 90_000 };
      const { sl_order_id: number } = (await trader.post(`${ORDERS}/tp-sl`, exit)).body;
      await freezeReads(service, trader);
      await moveExit(trader, number);

      if (by === 'new exits') {
        const reply = await trader.post(`${ORDERS}/tp-sl`, { ...exit, stop_loss: 95_000 }, { prefer: 'wait=1' });
        service.exchange.setBehind(0);
        const { result } = await trader.pollIntent(reply, 20_000);
        const left = [Number(result.sl_order_id)];
        await until(
          'only the new one rests',
          async () => `${await openOids(service, trader)}` === `${left}` || null,
          10_000,
        );
      } else {
        const { body } = await trader.delete(by === 'its number' ? `${ORDERS}/${number}` : ORDERS);
        expect(body).to.include({ status: 'ok', cancelled_count: 1 });
        service.exchange.setBehind(0);
        expect(await openOids(service, trader)).to.deep.equal([]);
      }
    });

  it('is an exit that ends by its first number', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
    const { sl_order_id: number } = (await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 90_000 })).body;
    await moveExit(trader, number);

    const { body } = await trader.delete(`${ORDERS}/${number}`);

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader)).to.deep.equal([]);
  });

  /** Moves a stop-loss without the service, under its client order id. */
  async function moveExit({ privateKey, wallet }: Trader, number: string): Promise<void> {
    const venue = exchangeOf(service);
    const open = await venue.openOrders(wallet);
    const cloid = open.kind === 'found' && open.data.find(({ oid }) => oid === Number(number))?.cloid;
    const trigger = { price: '91000', kind: 'sl', isMarket: true } as const;
    const terms = { asset: 1, side: 'sell', price: '81900', size: '0.01', reduceOnly: true, trigger } as const;
    const action = { kind: 'replace', orders: [{ target: Number(number), order: { ...terms, cloid: String(cloid) } }] };
    const body = await venue.signerOf(privateKey)?.sign(action as never, { nonce: Date.now() - 3_600_000 }); // as: one of its kinds
    const response = await venue.post(String(body), { firstSend: true });
    expect(response.kind === 'accepted' && response.data.items[0]?.kind).to.equal('waiting_for_trigger');
  }
});
