import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { faultOf } from '../support/stream-schemas.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const HOUR_MS = 3_600_000;
const NO_INDEX_HOLDS = randomBytes(8_000).toString('hex');

type Row = { oid: number; coin: string; time: number; tid: number; closedPnl: string; liquidation?: object };
type EventBody = { type: string; data: Record<string, unknown> & { fills: Record<string, string>[] } };
type Wallet = Awaited<ReturnType<TestService['wallet']>>;

describe('the ledger of a wallet', function () {
  this.timeout(60_000);
  let proxy: VenueProxy;
  let shown: (rows: Row[]) => Row[];
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) => {
      const reply = await forward();
      return type === 'userFillsByTime' && reply ? jsonReply(shown(JSON.parse(reply.text) as Row[])) : reply;
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  beforeEach(() => {
    shown = (rows) => rows;
    service.exchange.setMid('BTC', '100000');
    service.exchange.setMid('ETH', '3000');
  });

  let nonces = Date.now() - 2 * HOUR_MS;
  /** The owner's own software acts beside the service. */
  async function acts({ privateKey }: Wallet, asset: number, side: 'buy' | 'sell', size: string): Promise<void> {
    const venue = exchangeOf(service);
    const price = asset === 1 ? (side === 'buy' ? '150000' : '50000') : side === 'buy' ? '4500' : '1500';
    const order = { asset, side, size, price, reduceOnly: false, timeInForce: 'ioc' } as const;
    const action: Action = { kind: 'place', orders: [order], grouping: 'none' };
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }

  const atVenue = async ({ wallet }: Wallet) => {
    const fills = await exchangeOf(service).recentFills(wallet);
    return fills.kind === 'found' ? fills.data : [];
  };
  const micro = (amounts: string[]) => amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 1e6), 0);
  const recorded = ({ wallet }: Wallet) =>
    service.db.any(sql.type(z.object({ oid: z.string(), closed_pnl: z.string() }))`
      select oid, closed_pnl::text from exchange_fills where ex_wallet = ${wallet}`);
  /** What the partner was told of its wallet, but for orders, oldest first. */
  async function told(trader: Wallet): Promise<EventBody[]> {
    const { body } = await trader.get('/v1/events?limit=200');
    for (const event of body) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
    return (body as EventBody[]).filter(({ type }) => /^(position|exit|funding)\./.test(type));
  }

  it('has every execution once after an hour without a process, whoever traded, and reports them', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    const { body: rests } = await trader.post(ORDERS, { ...MARKET, order_type: 'limit', price: 99_000, size: '0.02' });
    await readWallets(service);
    const before = (await told(trader)).length;
    await service.stopWorkers();
    await service.db.query(sql.type(z.object({}))`
      update exchange_cursors
      set read_to = read_to - interval '1 hour', fills_read_at = fills_read_at - interval '1 hour',
        complete_from = complete_from - interval '1 hour'
      where ex_wallet = ${trader.wallet}`);
    for (let n = 0; n < 60; n++) {
      service.exchange.setMid('BTC', String(100_000 + ((n * 37) % 17) * 13 - (n === 30 ? 1_500 : 0)));
      await acts(trader, 1, n % 3 === 1 ? 'sell' : 'buy', `0.0${1 + (n % 7)}`);
      if (n % 5 === 0) await acts(trader, 3, n % 2 === 0 ? 'buy' : 'sell', '0.3');
    }
    await service.startWorker();

    for (let run = 0; run < 3; run++) await readWallets(service);

    const [fills, rows, events] = [await atVenue(trader), await recorded(trader), (await told(trader)).slice(before)];
    expect(rows).to.have.length(fills.length).above(70);
    expect(micro(rows.map(({ closed_pnl }) => closed_pnl))).to.equal(micro(fills.map(({ closedPnl }) => closedPnl)));
    const updates = events.filter(({ type }) => type === 'position.updated');
    const gains = updates.map(({ data }) => String(data.realized_pnl));
    expect(micro(gains)).to.equal(micro(rows.map(({ closed_pnl }) => closed_pnl)));
    expect(updates.flatMap(({ data }) => data.fills)).to.have.length(rows.length - 1);
    const history = (await trader.get('/v1/history/orders?limit=200')).body as { ex_order_id: string }[];
    expect(history.map(({ ex_order_id }) => ex_order_id)).to.have.members([
      ...new Set(fills.map(({ oid }) => `${oid}`)),
    ]);
    expect((await trader.get(`${ORDERS}/${rests.order_id}`)).body.status).to.equal('filled');
    const { body: ofOrder } = await trader.get('/v1/events?type=order.updated&limit=200');
    const end = (ofOrder as EventBody[]).find(
      ({ data }) => data.order_uuid === rests.order_id && data.lifecycle === 'filled',
    );
    expect(end?.data.fills.map(({ size, order_id }) => [size, order_id])).to.deep.equal([['0.02', rests.order_id]]);
  });

  it('finds executions that a read left out by the chain of positions, and has them at the next', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await readWallets(service);
    for (const size of ['0.01', '0.02', '0.03']) await acts(trader, 1, 'buy', size);
    const hidden = (await atVenue(trader)).toReversed().at(2)?.oid;
    shown = (rows) => rows.filter(({ oid }) => oid !== hidden);

    await readWallets(service);
    const whileHidden = await recorded(trader);
    const gap = () =>
      service.db.one(sql.type(z.object({ gap_at: z.string().nullable(), is_due: z.boolean() }))`
        select gap_at, due_at < now() + interval '2 seconds' is_due from exchange_cursors where ex_wallet = ${trader.wallet}`);
    const open = await gap();
    shown = (rows) => rows;
    await readWallets(service);

    expect(whileHidden).to.have.length(3);
    expect(open).to.deep.include({ is_due: true });
    expect(open.gap_at).to.be.a('string');
    expect(await recorded(trader)).to.have.length(4);
    expect((await gap()).gap_at).to.equal(null);
    const [position] = (await trader.get('/v1/positions/exvenue')).body;
    expect((await told(trader)).at(-1)?.data).to.include({ size: position.size, side: 'long' });
  });

  it('reports an exit that was triggered, and what it did to the position', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...MARKET, stop_loss: 90_000, take_profit: 120_000 });
    await readWallets(service);
    service.exchange.setMid('BTC', '89000');
    await readWallets(service);

    const [opened, triggered, closed] = await told(trader);

    expect(opened?.data).to.include({
      change: 'opened',
      cause: 'order',
      side: 'long',
      size: '0.01',
      previous_size: '0',
    });
    expect(triggered).to.deep.include({ type: 'exit.triggered' });
    expect(triggered?.data).to.include({ exit: 'stop_loss', filled_size: '0.01', fill_price: '89000' });
    expect(closed?.data).to.include({
      change: 'closed',
      cause: 'stop_loss',
      side: null,
      size: '0',
      realized_pnl: '-110',
    });
  });

  it('reports a liquidation', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await readWallets(service);
    await acts(trader, 1, 'sell', '0.004');
    const liquidation = { liquidatedUser: trader.wallet, markPx: '100000', method: 'market' };
    shown = (rows) => rows.map((row, n) => (n === rows.length - 1 ? { ...row, liquidation } : row));

    await readWallets(service);

    const [, liquidated, left] = await told(trader);
    expect(liquidated).to.deep.include({ type: 'position.liquidated' });
    expect(liquidated?.data).to.include({ liquidated_size: '0.004', price: '100000', left_size: '0.006' });
    expect(left?.data).to.include({ change: 'reduced', cause: 'liquidation', size: '0.006' });
  });

  it('reports the funding of each hour once', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await readWallets(service);
    const hourPasses = async () => {
      await service.db.query(sql.type(z.object({}))`
        update exchange_cursors set funding_read_to = now() - interval '2 hours' where ex_wallet = ${trader.wallet}`);
      await readWallets(service);
    };
    service.exchange.payFunding('BTC', '0.0000125');
    await hourPasses();
    service.exchange.payFunding('BTC', '-0.00002');
    await hourPasses();
    await readWallets(service);

    const funding = (await told(trader)).filter(({ type }) => type === 'funding.settled').map(({ data }) => data);
    const about = { venue: 'exvenue', trader_id: trader.wallet, pair: 'BTC-USDC', side: 'long', size: '0.01' };
    expect(funding.map(({ at: _, ...data }) => data)).to.deep.equal([
      { ...about, rate: '0.0000125', amount_usd: '-0.0125' },
      { ...about, rate: '-0.00002', amount_usd: '0.02' },
    ]);
  });

  it('reports to a partner nothing from before it enrolled the wallet', async () => {
    const [trader, later] = [await service.wallet(), await service.partner()];
    await trader.post(ORDERS, MARKET);
    service.exchange.payFunding('BTC', '0.0000125');
    await later.post('/v1/sessions', { ex_wallet: trader.wallet, private_key: trader.privateKey });
    await service.db.query(sql.type(z.object({}))`
      update enrollments set created_at = now() + interval '2 minutes' where owner = ${later.owner}`);
    await readWallets(service);
    await service.db.query(sql.type(z.object({}))`
      update exchange_cursors set funding_read_to = now() - interval '2 hours' where ex_wallet = ${trader.wallet}`);
    await readWallets(service);

    const { body } = await later.get('/v1/events?limit=200');
    expect((await told(trader)).map(({ type }) => type)).to.include.members(['funding.settled', 'position.updated']);
    expect((body as EventBody[]).filter(({ type }) => /^(position|funding)/.test(type))).to.deep.equal([]);
  });

  it('is read although that of another wallet cannot be', async () => {
    const [trader, other] = [await service.wallet(), await service.wallet()];
    shown = (rows) => rows.map((row) => (row.coin === 'ETH' ? { ...row, coin: NO_INDEX_HOLDS } : row));
    await other.post(ORDERS, { ...MARKET, pair: 'ETH', size: '0.1' });
    await trader.post(ORDERS, MARKET);

    await readWallets(service).catch(() => {});

    expect(await recorded(trader)).to.have.length(1);
    expect(await recorded(other)).to.have.length(0);
  });

  it('shows positions no older than the executions that it has, or says how old they are', async () => {
    const trader = await service.wallet();
    service.exchange.setBehind(60_000);
    await trader.get('/v1/positions/exvenue'); // reads show this moment
    const at = Date.now();
    await trader.post(ORDERS, MARKET);
    service.exchange.setBehind(0);
    await readWallets(service);
    service.exchange.setBehind(3_000_000);
    const [position] = (await trader.get('/v1/positions/exvenue')).body;
    service.exchange.setBehind(0);

    expect(position.size).to.equal('0.01');
    expect(Date.parse(position.as_of)).to.be.above(at);
  });
});
