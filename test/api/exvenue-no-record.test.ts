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
