import { expect } from 'chai';
import { sql } from 'slonik';
import { usualCoins } from '../../src/sandbox/exchange/coins.ts';
import { type ExvenueUpstream, startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import { caller } from '../support/caller.ts';
import { openOids, restDirectly } from '../support/exchange.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startWebProcess, until } from '../support/processes.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
/** With `xyz` as many builder dexes as the venue listed in July 2026. */
const DEXES = ['flx', 'vntl', 'hyna', 'km', 'cash', 'para', 'io'];
const gold = (dex: string) => ({ name: `${dex}:GOLD`, sizeDecimals: 2, mid: '4000', maxLeverage: 10 });
const COINS = [...usualCoins, ...DEXES.map(gold)];
/** The fifth builder dex, its first asset. Source: the venue's page on asset ids. */
const KM_GOLD = 150_000;

/** Whether an intent has been tried in vain and waits for its next attempt. */
const waitingIn = ({ db }: TestService) =>
  db.exists(sql.unsafe`select from intents where settled_at is null and outcome is not null`);

describe('a wallet that also trades elsewhere, at an exchange with eight builder dexes', () => {
  let exchange: ExvenueUpstream;
  let proxy: VenueProxy;
  let service: TestService;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const start = () =>
    startService({ settings: { EXVENUE_URL: proxy.url }, database: { url: database.url, drop: async () => {} } });
  before(async () => {
    exchange = await startExvenueUpstream({ network: 'testnet', autoFund: '100000', coins: COINS });
    proxy = await startProxy();
    proxy.target = exchange.url;
    database = await freshDatabase();
    service = await start();
  });
  after(async () => {
    await service.stop();
    await proxy.close();
    await exchange.close();
    await database.drop();
  });
  afterEach(() => {
    proxy.handle = (_, forward) => forward();
  });

  /** Passes everything on and counts the reads by type and dex. */
  const counting = () => {
    const seen: string[] = [];
    proxy.handle = (body, forward) => {
      seen.push([body.type ?? body.action?.type, body.dex].filter(Boolean).join(' '));
      return forward();
    };
    return (name: string) => seen.filter((read) => read === name || read.startsWith(`${name} `));
  };
  const resting = async (trader: { wallet: string; privateKey: string }) => {
    exchange.fund(trader.wallet, '1000', 'km');
    const [main] = await restDirectly({ exchange }, trader, [{}]);
    const [foreign] = await restDirectly({ exchange }, trader, [{ asset: KM_GOLD, price: '3000', size: '0.1' }]);
    return { main: String(main), foreign: String(foreign) };
  };

  it('knows all markets side by side, and from its second start on without asking', async () => {
    const trader = await service.wallet();
    let release = () => {};
    const together = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    proxy.handle = async ({ type }, forward) => {
      waiting += type === 'meta' ? 1 : 0;
      if (waiting === 1 + 1 + DEXES.length) release();
      if (type === 'meta') await together; // asked one after the other, the first would wait forever
      return forward();
    };

    const pairs = await trader.get('/v1/rules/pairs');
    const read = counting();
    const second = await start();
    const again = await second.runtime.reads.exchangeAssets('km');
    const positions = await second.runtime.reads.accounts(trader.wallet);
    await second.stop();

    expect(pairs.status, JSON.stringify(pairs.body)).to.equal(200);
    expect(again).to.have.property('kind', 'found');
    expect(positions).to.have.nested.property('data').of.length(9);
    expect([...read('meta'), ...read('perpDexs')]).to.be.empty;
  });

  it('gets its pairs and positions from a process that knows nothing yet: all reads run side by side', async () => {
    const trader = await service.wallet();
    await service.db.query(sql.unsafe`delete from upstream_responses`);
    let inFlight = 0;
    let most = 0;
    proxy.handle = async (_, forward) => {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 100)); // the venue takes its time
      inFlight -= 1;
      return forward();
    };
    const startedAt = performance.now();

    const web = await startWebProcess(service.settings);
    const cold = caller(web.url, trader.key, { 'Trader-ID': trader.wallet });
    const upAt = performance.now();
    const [pairs, positions] = await Promise.all([cold.get('/v1/rules/pairs'), cold.get('/v1/positions/exvenue')]);
    const respondedAt = performance.now();
    web.kill('SIGKILL');
    await web.exited;

    expect([pairs.status, positions.status]).to.deep.equal([200, 200]);
    expect(most, 'asked at once').to.be.at.least(1 + 1 + DEXES.length);
    const [up, responded] = [upAt - startedAt, respondedAt - upAt].map((ms) => Math.round(ms));
    console.log(`      the process listened after ${up} ms and had responded ${responded} ms later`);
  });

  it('has all its orders listed and cancelled, and only dexes with orders are asked for them', async () => {
    const trader = await service.wallet();
    const { main, foreign } = await resting(trader);

    const listed = await trader.get(ORDERS);
    const read = counting();
    const { body } = await trader.delete(ORDERS);

    expect(listed.body.map(({ ex_order_id }: { ex_order_id: string }) => ex_order_id)).to.have.members([main, foreign]);
    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 2, failed_count: 0 });
    expect(read('frontendOpenOrders')).to.have.members(['frontendOpenOrders', 'frontendOpenOrders km']);
    expect([...(await openOids({ exchange }, trader)), ...(await openOids({ exchange }, trader, 'km'))]).to.be.empty;
  });

  it('has an order of a builder dex cancelled that the venue lists and does not find by its number', async () => {
    const trader = await service.wallet();
    const { foreign } = await resting(trader);
    let isAway = true;
    proxy.handle = async ({ type, dex }, forward) => {
      if (type === 'orderStatus') return jsonReply({ status: 'unknownOid' });
      return type === 'frontendOpenOrders' && dex === 'km' && isAway ? jsonReply({ error: 'away' }, 500) : forward();
    };

    const waiting = trader.delete(`${ORDERS}/${foreign}`);
    await Promise.race([waiting, until('an attempt in vain', () => waitingIn(service))]);
    isAway = false;
    const { body } = await waiting;

    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids({ exchange }, trader, 'km')).to.be.empty;
  });

  it('loses no order to one in an unknown market or of an unknown form: the rest is cancelled, the result names it', async () => {
    const trader = await service.wallet();
    const { main, foreign } = await resting(trader);
    const odd = { coin: 'NEW/MARKET', oid: 77, side: 'X', children: [], cloid: null };
    proxy.handle = async ({ type, dex }, forward) => {
      const reply = await forward();
      const isMainDex = type === 'frontendOpenOrders' && !dex;
      return isMainDex && reply ? jsonReply([odd, ...JSON.parse(reply.text)]) : reply;
    };

    const listed = await trader.get(ORDERS);
    const { body } = await trader.delete(ORDERS);

    expect(listed.body).to.have.length(2);
    expect(body, JSON.stringify(body)).to.include({ status: 'partial', cancelled_count: 2, failed_count: 1 });
    const lines = Object.fromEntries(
      body.results.map((line: { ex_order_id: string; status: string }) => [line.ex_order_id, line.status]),
    );
    expect(lines).to.deep.equal({ [main]: 'cancelled', [foreign]: 'cancelled', 77: 'error' });
    const pairs = body.results.map(({ pair }: { pair: string }) => pair);
    expect(pairs).to.have.members(['BTC-USDC', 'km:GOLD-USDC', 'NEW/MARKET']);
  });

  it('loses no order to a dex that cannot be read: the rest is cancelled, the result names it', async () => {
    const trader = await service.wallet();
    const { main } = await resting(trader);
    proxy.handle = async ({ type, dex }, forward) =>
      type === 'frontendOpenOrders' && dex === 'km' ? jsonReply({ error: 'away' }, 500) : forward();

    const { body } = await trader.delete(ORDERS);

    expect(body, JSON.stringify(body)).to.include({ status: 'partial', cancelled_count: 1 });
    expect(body.message).to.match(/\bkm\b/);
    expect(body).to.have.nested.property('results[0].ex_order_id', main);
  });
});
