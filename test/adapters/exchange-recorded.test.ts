import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import nock from 'nock';
import { plus } from '../../src/kernel/decimals.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { fillsOf } from '../../src/venues/exchange/portfolio/history.ts';
import { roundTrips } from '../../src/venues/exchange/portfolio/round-trips.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const recorded = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../fixtures/exchange/${name}.json`, import.meta.url), 'utf8'));

type Reads = { responses: { request: { type: string; user?: string } & Record<string, unknown>; response: unknown }[] };
type Rejections = { actions: { text: string; of: 'updateLeverage' | 'order' }[]; items: string[] };

const reads = await recorded<Reads>('reads');
reads.responses.push(...(await recorded<Reads>('more-reads')).responses);
const rejections = await recorded<Rejections>('rejections');

describe('recorded responses of the exchange', () => {
  alone();

  /** Serves the response that was recorded for a request. */
  const serve = (request: Record<string, unknown>) => {
    const found = reads.responses.find((each) =>
      Object.entries(request).every(([name, value]) => each.request[name] === value),
    );
    const asked = { ...request, ...(typeof request.user === 'string' && { user: request.user.toLowerCase() }) };
    nock(VENUE)
      .post('/info', asked)
      .reply(200, JSON.stringify(found?.response), { 'content-type': 'application/json' });
  };

  /** Serves a recorded response and reads it. */
  const reading = async <T>(type: string, read: (venue: Exvenue, user: string) => Promise<T>) => {
    const found = reads.responses.find(({ request }) => request.type === type);
    if (!found) throw new Error(`no recorded ${type}`);
    serve(found.request);
    const result = await read(exvenue({ url: VENUE, network: 'mainnet' }), found.request.user ?? '');
    return { result, response: found.response };
  };

  it('list open orders with their triggers: the take-profit, the stop-loss and their parent', async () => {
    const { result } = await reading('frontendOpenOrders', (venue, user) => venue.openOrders(user));

    expect(result).to.have.property('kind', 'found');
    const orders = result.kind === 'found' ? result.data : [];
    expect(orders.map(({ oid, exit, triggerPrice }) => [oid, exit, triggerPrice])).to.deep.equal([
      [3_184_595_907, 'tp', '10.004'],
      [3_184_595_906, 'sl', '9.995'],
      [3_184_595_905, null, null],
    ]);
    expect(orders[2]?.children.map(({ oid }) => oid)).to.deep.equal([3_184_595_906, 3_184_595_907]);
  });

  it('list past orders, rejected ones with the reason of a rejection at once', async () => {
    const { result, response } = await reading('historicalOrders', (venue, user) => venue.historicalOrders(user));

    const words = (response as { status: string }[]).map(({ status }) => status); // as: recorded
    expect(result).to.have.nested.property('data').of.length(words.length);
    const records = result.kind === 'found' ? result.data : [];
    expect(records.map(({ word }) => word)).to.deep.equal(words);
    expect(records[0]).to.deep.include({ state: 'rejected' }).and.nested.include({ 'rejected.slug': 'no_match' });
    expect(records.at(-1)).to.include({ state: words.at(-1) === 'canceled' ? 'cancelled' : records.at(-1)?.state });
  });

  it('show a budget of actions beyond 32 bits', async () => {
    const { result } = await reading('userRateLimit', (venue, user) => venue.actionBudget(user));

    expect(result).to.deep.include({
      kind: 'found',
      data: { used: 36_589_831_368, cap: 170_043_731_737, surplus: 0, volumeUsd: '170043721737.450012207' },
    });
  });

  it('list agents, markets and prices', async () => {
    const agents = await reading('extraAgents', (venue, user) => venue.agents(user));
    const assets = await reading('meta', (venue) => venue.assets());
    const mids = await reading('allMids', (venue) => venue.mids());

    expect(agents.result).to.have.nested.property('data').of.length(2);
    expect(assets.result).to.deep.nested.include({
      'data.rows[0].coin': 'BTC',
      'data.rows[0].id': 0,
      'data.rows[0].sizeDecimals': 5,
    });
    expect(mids.result).to.deep.nested.include({ 'data.BTC': '30135', 'data.ATOM': '9.3384' });
  });

  it('show a position with isolated margin, and what is free in spot', async () => {
    const account = await reading('clearinghouseState', (venue, user) => venue.account(user));
    const spot = await reading('spotClearinghouseState', (venue, user) => venue.spotBalances(user));

    expect(account.result).to.deep.nested.include({
      'data.withdrawable': '75.781884',
      'data.accountValue': '83.307638',
    });
    expect(account.result).to.have.nested.property('data.positions[0]').that.deep.includes({
      coin: 'HYPE',
      size: '2',
      entryPrice: '37.829',
      liquidationPrice: '35.8559189474',
    });
    expect(spot.result).to.deep.nested.include({
      'data[0].free': '2.77363',
      'data[1].coin': 'HYPE',
      'data[1].token': 150,
    });
  });

  it('show a filled order that was placed as a market order of the venue’s own pages', async () => {
    const { result } = await reading('orderStatus', (venue, user) => venue.orderStatus(user, 1));

    expect(result).to.deep.nested.include({ 'data.state': 'filled', 'data.order.timeInForce': 'other' });
    expect(result).to.deep.nested.include({ 'data.order.size': '0', 'data.order.originalSize': '0.0076' });
  });

  it('list executions with their client order ids, of vaults and of spot remainders', async () => {
    const { result } = await reading('userFills', (venue, user) => venue.recentFills(user));

    const fills = result.kind === 'found' ? result.data : [];
    expect(fills.map(({ coin, direction }) => [coin, direction])).to.deep.equal([
      ['BTC', 'Open Long'],
      ['BTC', 'Open Long'],
      ['MANTA', 'Net Child Vaults'],
      ['@142', 'Spot Dust Conversion'],
    ]);
    expect(fills[0]).to.include({ cloid: '0x5bdd47600dea461f36c8378cd7b4150c', fee: '-0.012639' });
    expect(fillsOf(fills, undefined).map(({ coin }) => coin)).to.deep.equal(['BTC', 'BTC', 'MANTA']);
  });

  it('list the funding of a long position, which the long paid', async () => {
    const { result } = await reading('userFunding', (venue, user) => venue.funding(user, 1));

    const paid = { coin: 'HYPE', timeMs: 1_750_172_400_033, amount_usd: '-0.044263', size: '30', rate: '0.0000369155' };
    expect(result).to.deep.equal({ kind: 'found', data: { payments: [paid], toMs: null } });
  });

  it('list builder dexes and their markets, the delisted one without a mid price', async () => {
    const ofDex = async (dex: string) => {
      serve({ type: 'perpDexs' });
      serve({ type: 'metaAndAssetCtxs', dex });
      const markets = await exvenue({ url: VENUE, network: 'mainnet' }).markets(dex);
      return markets.kind === 'found' ? markets.data : [];
    };

    const dexes = await reading('perpDexs', (venue) => venue.dexes());
    const [nvda, gold] = await ofDex('xyz');
    const [spacex] = await ofDex('vntl');

    expect(dexes.result).to.deep.equal({ kind: 'found', data: ['xyz', 'vntl'] });
    expect([nvda?.asset.id, gold?.asset.id, spacex?.asset.id]).to.deep.equal([110_000, 110_001, 120_000]);
    expect(gold).to.deep.include({ midPrice: '4374.25', markPrice: '4374.4', oraclePrice: '4375.9' });
    expect(spacex?.asset).to.include({ onlyIsolated: true, isDelisted: true });
    expect(spacex).to.include({ midPrice: null, markPrice: '2109.5' });
  });

  it('list spot pairs by their tokens', async () => {
    const { result } = await reading('spotMeta', (venue) => venue.assets('spot'));

    const pairs = result.kind === 'found' ? result.data.rows : [];
    expect(
      pairs.map(({ coin, id, base, quoteToken, sizeDecimals }) => [coin, id, base, quoteToken, sizeDecimals]),
    ).to.deep.equal([
      ['PURR/USDC', 10_000, 'PURR', 0, 0],
      ['@1', 10_001, 'HFUN', 0, 2],
    ]);
  });

  it('show the leverage of an account in an asset, and whose agent an address is', async () => {
    const { result: leverage } = await reading('activeAssetData', (venue, user) => venue.leverage(user, 'APT'));
    const { result: role } = await reading('userRole', (venue, user) => venue.role(user));

    expect(leverage).to.deep.equal({ kind: 'found', data: 3 });
    expect(role).to.deep.equal({ kind: 'found', data: { kind: 'agent', master: `0x${'1'.repeat(40)}` } });
  });

  it('cover every read of the adapter, but for those that are composed', async () => {
    const sources = await Promise.all(
      ['index', 'catalogue', 'fill-pages'].map((name) =>
        readFile(new URL(`../../src/venues/exchange/adapter/${name}.ts`, import.meta.url), 'utf8'),
      ),
    );
    const asked = sources.join().matchAll(/(?:type: |of\()'(\w+)'/g);
    const missing = new Set([...asked].map(([, type]) => type));
    const others = ['fills-500', 'account-modes', 'unnamed-agent']; // read in tests of their own
    const single = await Promise.all(others.map((name) => recorded<{ request: { type: string } }>(name)));
    for (const { request } of [...reads.responses, ...single]) missing.delete(request.type);

    expect([...missing]).to.deep.equal([]);
  });
});

describe('recorded executions of the exchange', () => {
  alone();

  it('give the closed positions that they name, whose gains add up to those of the venue', async () => {
    type List = { request: { user: string }; columns: string[]; rows: unknown[][] };
    const { request, columns, rows } = await recorded<List>('fills-500');
    const fills = rows.map((row) => Object.fromEntries([...columns.map((name, n) => [name, row[n]]), ['fee', '0.0']]));
    nock(VENUE).post('/info').reply(200, JSON.stringify(fills), { 'content-type': 'application/json' });

    const read = await exvenue({ url: VENUE, network: 'mainnet' }).fills(request.user, { fromMs: 0 });
    const trips = await roundTrips(fillsOf(read.kind === 'found' ? read.data : [], undefined), new Map());

    expect(trips).to.have.length(39);
    const total = (gains: string[]) => gains.reduce((sum, gain) => plus(sum, gain), '0');
    const named = total(fills.map(({ closedPnl }) => String(closedPnl)));
    expect(total(trips.map(({ realizedPnl }) => realizedPnl))).to.equal(named);
  });
});

describe('recorded rejections of the exchange', () => {
  alone();

  const signer = exvenue({ url: VENUE, network: 'mainnet' }).signerOf('c'.repeat(64));
  const order = { asset: 1, side: 'buy', price: '100', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
  const ACTIONS = {
    order: { kind: 'place', orders: [order], grouping: 'none' },
    updateLeverage: { kind: 'set_leverage', asset: 1, leverage: 3, isCross: true },
  } as const;
  const posted = async (of: keyof typeof ACTIONS, response: unknown) => {
    nock(VENUE).post('/exchange').reply(200, JSON.stringify(response), { 'content-type': 'application/json' });
    const body = await signer?.sign(structuredClone(ACTIONS[of]) as never, { nonce: 1 }); // as: of one of its shapes
    return exvenue({ url: VENUE, network: 'mainnet' }).post(String(body), { firstSend: true });
  };

  for (const { text, of } of rejections.actions) {
    it(`reject a whole action: ${text}`, async () => {
      const result = await posted(of, { status: 'err', response: text });

      expect(result).to.have.property('kind', 'rejected');
      expect(result, 'the reason is known').to.have.property('slug').that.does.not.equal('rejected_by_venue');
    });
  }

  for (const text of rejections.items) {
    it(`reject an item: ${text}`, async () => {
      const result = await posted('order', {
        status: 'ok',
        response: { type: 'order', data: { statuses: [{ error: text }] } },
      });

      expect(result).to.have.property('kind', 'rejected');
      expect(result, 'the reason is known').to.have.property('slug').that.does.not.equal('rejected_by_venue');
    });
  }
});
