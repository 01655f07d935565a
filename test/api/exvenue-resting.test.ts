import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 99_000 };
const HOUR_MS = 3_600_000;

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: { order_uuid: string; lifecycle: string; executed: Record<string, string> } };

describe('resting orders on the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  let nonces = Date.now() - 2 * HOUR_MS;
  /** The owner's own software acts beside the service. */
  async function acts({ privateKey }: Wallet, action: Action): Promise<void> {
    const venue = exchangeOf(service);
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }

  const market = (side: 'buy' | 'sell', size: string): Action => ({
    kind: 'place',
    orders: [
      { asset: 1, side, size, price: side === 'buy' ? '110000' : '90000', reduceOnly: false, timeInForce: 'ioc' },
    ],
    grouping: 'none',
  });

  const read = () => readWallets(service);

  /** What the partner was told of an order after its placement, oldest first. */
  async function told(trader: Wallet, orderId: string): Promise<(string | null | undefined)[][]> {
    const events = (await trader.get('/v1/events')).body as Event[];
    return events
      .filter(({ type, data }) => type === 'order.updated' && data.order_uuid === orderId)
      .slice(1)
      .map(({ data: { lifecycle, executed } }) => [
        lifecycle,
        ...[executed.status, executed.filled_size, executed.fill_price],
      ]);
  }

  const lifecycleOf = (orderId: string) =>
    service.db.oneFirst(sql.type(z.object({ lifecycle: z.string() }))`
      select lifecycle from orders where id = ${orderId}`);

  it('are reported when they are filled, once', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, LIMIT);
    await read();
    const before = await told(trader, order.order_id);
    service.exchange.setMid('BTC', '98900');

    for (let run = 0; run < 2; run++) await read();

    expect(before).to.deep.equal([]);
    expect(await told(trader, order.order_id)).to.deep.equal([['filled', 'filled', '0.01', '98900']]);
    expect(await lifecycleOf(order.order_id)).to.equal('filled');
  });

  it('are reported part by part', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, size: '0.0505', price: 100_100 });
    await read();
    const [listed] = (await trader.get(ORDERS)).body;
    service.exchange.setMid('BTC', '99000');
    await read();

    expect(listed).to.include({ status: 'partial', filled_size: '0.02525', fill_price: '100000' });
    expect(await told(trader, order.order_id)).to.deep.equal([
      ['resting', 'partial', '0.02525', '100000'],
      ['filled', 'filled', '0.0505', '99500'],
    ]);
  });

  it('are reported when something else than this service has cancelled them', async () => {
    const trader = await service.wallet();
    const { body: whole } = await trader.post(ORDERS, LIMIT);
    const { body: half } = await trader.post(ORDERS, { ...LIMIT, size: '0.0505', price: 100_100 });
    const orders = [whole, half].map(({ ex_order_id }) => ({ asset: 1, oid: Number(ex_order_id) }));
    await acts(trader, { kind: 'cancel', orders });

    await read();

    expect(await told(trader, whole.order_id)).to.deep.equal([['cancelled', 'cancelled', '0', null]]);
    expect(await told(trader, half.order_id)).to.deep.equal([['cancelled', 'cancelled', '0.02525', '100000']]);
    const [shown] = (await trader.get('/v1/history/orders')).body;
    const { status, filled_size } = (await trader.get(`${ORDERS}/${half.order_id}`)).body;
    expect([status, filled_size]).to.deep.equal(['cancelled', '0.02525']);
    expect(shown).to.include({ order_id: half.order_id, status, filled_size });
  });

  it('of a wallet with many are read by one list', async () => {
    const trader = await service.wallet();
    const placed: { order_id: string }[] = [];
    for (let n = 0; n < 12; n++) {
      const { body } = await trader.post(ORDERS, { ...LIMIT, price: n === 0 ? 99_000 : 90_000 + n });
      placed.push(body);
    }
    service.exchange.setMid('BTC', '98900');

    await read();

    const states = await Promise.all(placed.map(({ order_id }) => lifecycleOf(order_id)));
    expect(states).to.deep.equal(['filled', ...Array.from({ length: 11 }, () => 'resting')]);
  });

  it('bring every execution since into the ledger once, also those of other software while no process ran', async () => {
    const trader = await service.wallet();
    const { body: first } = await trader.post(ORDERS, LIMIT);
    const { body: second } = await trader.post(ORDERS, { ...LIMIT, price: 97_000 });
    for (const [side, size] of [
      ['buy', '0.03'],
      ['sell', '0.02'],
      ['sell', '0.04'],
    ] as const)
      await acts(trader, market(side, size));
    service.exchange.setMid('BTC', '98900');
    await read();
    await acts(trader, market('buy', '0.05'));
    service.exchange.setMid('BTC', '96900');

    for (let run = 0; run < 3; run++) await read();

    const atVenue = await exchangeOf(service).recentFills(trader.wallet);
    const fills = atVenue.kind === 'found' ? atVenue.data : [];
    const ledger = await service.db.one(sql.type(z.object({ count: z.number(), realised: z.string() }))`
      select count(*)::int count, trim_scale(sum(closed_pnl))::text realised
      from exchange_fills
      where ex_wallet = ${trader.wallet}`);
    const realised = fills.reduce((sum, { closedPnl }) => sum + Math.round(Number(closedPnl) * 1e6), 0) / 1e6;
    expect(fills).to.have.length(6);
    expect(ledger.count).to.equal(6);
    expect(Number(ledger.realised)).to.equal(realised);
    expect([await lifecycleOf(first.order_id), await lifecycleOf(second.order_id)]).to.deep.equal(['filled', 'filled']);
  });
});
