import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, openOids, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 99_000 };
const nothing = z.object({});

type Wallet = Awaited<ReturnType<TestService['wallet']>>;

// The venue keeps records by number: those of a wallet whose owner's software trades a lot are gone within minutes.
describe('orders of which the exchange keeps no record any more', function () {
  this.timeout(30_000);
  let service: TestService;
  let proxy: VenueProxy;
  let isKept = true;
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) =>
      type === 'orderStatus' && !isKept ? jsonReply({ status: 'unknownOid' }) : forward(),
    );
    service = await startService({ settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '60000' } });
    proxy.target = service.exchange.url;
  });
  beforeEach(() => {
    isKept = true;
    service.exchange.setMid('BTC', '100000');
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  let nonces = Date.now() - 3_600_000;
  /** The owner's own software acts beside the service. */
  async function cancels({ privateKey }: Wallet, ...oids: number[]): Promise<void> {
    const venue = exchangeOf(service);
    const action: Action = { kind: 'cancel', orders: oids.map((oid) => ({ asset: 1, oid })) };
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }
  /** Reads wallets twice, two minutes apart. */
  async function readLater(): Promise<void> {
    await readWallets(service);
    await service.db.query(sql.type(nothing)`update orders set absent_since = absent_since - interval '2 minutes'`);
    await readWallets(service);
  }
  const shown = async (trader: Wallet, id: string) => (await trader.get(`${ORDERS}/${id}`)).body;

  it('rest as long as they are listed', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, LIMIT);
    isKept = false;

    await readLater();

    expect(await shown(trader, order.order_id)).to.include({ status: 'open' });
  });

  it('have ended when no list has shown them for longer than reads may be behind', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, LIMIT);
    isKept = false;
    await cancels(trader, Number(order.ex_order_id));

    await readWallets(service);
    const early = await shown(trader, order.order_id);
    await readLater();

    expect(early).to.include({ status: 'open' });
    expect(await shown(trader, order.order_id)).to.include({ status: 'cancelled', filled_size: '0' });
  });

  it('keep what was filled of them, which has its exits again', async () => {
    const trader = await service.wallet();
    const half = { ...LIMIT, size: '0.0505', price: 100_000, stop_loss: 90_000 }; // half of it is filled at once
    const { body: order } = await trader.post(ORDERS, half);
    isKept = false;
    await cancels(trader, Number(order.ex_order_id));

    await readLater();
    await readLater();

    expect(await shown(trader, order.order_id)).to.include({ status: 'cancelled', filled_size: '0.02525' });
    await until('the new exit rests', async () => (await openOids(service, trader)).length === 1 || null);
  });

  type ShownExit = { exit: string; status: string; filled_size: string | null; message: string | null };
  const exitsOf = async (trader: Wallet, id: string): Promise<ShownExit[]> => (await shown(trader, id)).exits;
  /** A filled order whose exits rest, and are known by their numbers; accepted a while ago. */
  async function protectedOrder(trader: Wallet) {
    const exits = { take_profit: 120_000, stop_loss: 90_000 };
    const { body } = await trader.post(ORDERS, { ...LIMIT, order_type: 'market', price: undefined, ...exits });
    await readWallets(service);
    await service.db.query(
      sql.type(nothing)`update intents set created_at = created_at - interval '2 minutes' where id = ${body.order_id}`,
    );
    isKept = false;
    await forgotten();
    return body;
  }
  const forgotten = () => new Promise((done) => setTimeout(done, 1_100)); // reads are cached for a second

  it('have exits that are shown as they are listed, executed or ended by what was executed', async () => {
    const trader = await service.wallet();
    const order = await protectedOrder(trader);
    const resting = await exitsOf(trader, order.order_id);

    service.exchange.setMid('BTC', '89000');
    await readWallets(service);
    await forgotten();
    const [profit, stop] = await exitsOf(trader, order.order_id);

    expect(resting.map(({ status }) => status)).to.deep.equal(['open', 'open']);
    expect(stop).to.include({ exit: 'stop_loss', status: 'filled', filled_size: '0.01', message: null });
    expect(profit).to.include({ status: 'cancelled', filled_size: '0' });
    expect(profit?.message).to.match(/other exit was executed/);
  });

  it('have exits that are shown as ended once a command has replaced them, or the position is closed', async () => {
    const trader = await service.wallet();
    const order = await protectedOrder(trader);
    isKept = true; // what is new has records
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 91_000 });
    await until('the old stop is cancelled', async () => (await openOids(service, trader)).length === 2 || null);
    isKept = false;
    await forgotten();
    const replaced = await exitsOf(trader, order.order_id);

    isKept = true;
    await trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    await readWallets(service);
    isKept = false;
    await forgotten();
    const closed = await exitsOf(trader, order.order_id);

    expect(replaced.map(({ status }) => status)).to.deep.equal(['open', 'cancelled']);
    expect(replaced[1]?.message).to.match(/later command/);
    expect(closed.map(({ status }) => status)).to.deep.equal(['cancelled', 'cancelled']);
  });

  it('have exits whose state is said to be unknown, never pending for ever, where nothing is recorded', async () => {
    const trader = await service.wallet();
    const order = await protectedOrder(trader);
    const [profit, stop] = await openOids(service, trader);
    await cancels(trader, Number(profit), Number(stop));
    await forgotten();

    const exits = await exitsOf(trader, order.order_id);

    expect(exits.map(({ status }) => status)).to.deep.equal(['unknown', 'unknown']);
    expect(exits[0]?.message).to.match(/keeps no record/);
  });

  it('are filled in part in the result of their cancellation, if a part of them was', async () => {
    const trader = await service.wallet();
    const half = { ...LIMIT, size: '0.0505', price: 100_100, take_profit: 120_000, stop_loss: 80_000 };
    const { body: order } = await trader.post(ORDERS, half);
    isKept = false;

    const { body } = await trader.delete(`${ORDERS}/${order.order_id}`);

    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 1 });
    expect(body.results[0].exits_cancelled).to.have.length(2);
    expect(body.results[0].message).to.match(/do not protect the part that was filled/);
  });

  it('have the exits that are listed, which are not placed again', async () => {
    const trader = await service.wallet();
    isKept = false;
    const exits = { take_profit: 120_000, stop_loss: 90_000 };
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, order_type: 'market', price: undefined, ...exits });

    await readLater();
    await readLater();

    expect(await shown(trader, order.order_id)).to.include({ status: 'filled', trigger_status: 'placed' });
    expect(await openOids(service, trader)).to.have.length(2);
  });
});
