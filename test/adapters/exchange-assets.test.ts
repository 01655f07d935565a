import { expect } from 'chai';
import nock from 'nock';
import { goByDatabaseTime } from '../../src/kernel/work.ts';
import { tokenBucket } from '../../src/venues/exchange/adapter/bucket.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const open = (): Exvenue => exvenue({ url: VENUE, network: 'mainnet' });
const ask = (body: nock.DataMatcherMap) => nock(VENUE).post('/info', body);

const btc = { name: 'BTC', szDecimals: 5, maxLeverage: 40, marginTableId: 56 };
const matic = { name: 'MATIC', szDecimals: 1, maxLeverage: 20, marginTableId: 20, isDelisted: true };
const strict = { name: 'NEW', szDecimals: 0, maxLeverage: 3, marginTableId: 3, marginMode: 'strictIsolated' };
const meta = (...universe: object[]) => ({ universe, marginTables: [], collateralToken: 0 });
const spotMeta = {
  tokens: [
    { name: 'USDC', szDecimals: 8, index: 0 },
    { name: 'HYPE', szDecimals: 2, index: 150 },
  ],
  universe: [{ name: '@107', tokens: [150, 0], index: 107, isCanonical: false }],
};

describe('the assets of the exchange', () => {
  alone();

  it('are numbered by position and cached for a while', async () => {
    const venue = open();
    const once = ask({ type: 'meta' }).reply(200, meta(btc, matic, strict));

    const assets = await Promise.all(['BTC', 'MATIC', 'NEW'].map((coin) => venue.asset(coin)));

    once.done();
    expect(assets[0]).to.deep.equal({
      kind: 'found',
      data: {
        id: 0,
        coin: 'BTC',
        kind: 'perp',
        dex: '',
        base: 'BTC',
        token: 0,
        quoteToken: null,
        sizeDecimals: 5,
        grid: { significantFigures: 5, priceDecimals: 1, sizeDecimals: 5, minimumValue: '10' },
        maxLeverage: 40,
        onlyIsolated: false,
        isDelisted: false,
      },
    });
    expect(assets[1]).to.nested.include({ 'data.id': 1, 'data.isDelisted': true });
    expect(assets[2]).to.nested.include({ 'data.id': 2, 'data.onlyIsolated': true });
  });

  it('of builder dexes have their own number range', async () => {
    const venue = open();
    ask({ type: 'perpDexs' }).reply(200, [null, { name: 'abc' }, { name: 'xyz' }]);
    ask({ type: 'meta', dex: 'xyz' }).reply(200, meta({ ...btc, name: 'xyz:GOLD' }, { ...btc, name: 'xyz:TSLA' }));

    expect(await venue.asset('xyz:TSLA')).to.nested.include({
      'data.id': 120_001,
      'data.dex': 'xyz',
      'data.base': 'TSLA',
    });
    expect(await venue.dexes()).to.deep.equal({ kind: 'found', data: ['abc', 'xyz'] });
  });

  describe('as another process has read them', () => {
    const main = meta(btc, matic);
    const builders = [null, { name: 'xyz' }];
    const openWith = (kept: Record<string, unknown>, ageMs: number) => {
      const find = async (name: string) => (name in kept ? { body: kept[name], ageMs } : null);
      const keep = async (name: string, body: unknown) => {
        kept[name] = body;
      };
      return exvenue({ url: VENUE, network: 'mainnet', shared: { ledger: tokenBucket, responses: { find, keep } } });
    };

    it('have the numbers of their own dex', async () => {
      const kept = {};
      ask({ type: 'meta' }).reply(200, main);
      ask({ type: 'perpDexs' }).reply(200, builders);
      ask({ type: 'meta', dex: 'xyz' }).reply(200, meta({ ...btc, name: 'xyz:GOLD' }, { ...btc, name: 'xyz:TSLA' }));
      const coins = ['MATIC', 'xyz:TSLA'];
      const first = openWith(kept, 0);
      for (const coin of coins) await first.assetId(coin);

      const ids = await Promise.all(coins.map((coin) => openWith(kept, 1_000).assetId(coin)));

      expect(ids.map((id) => id.kind === 'found' && id.data)).to.deep.equal([1, 110_001]);
    });

    it('are read again where the time was set back since: nobody knows how old that list is', async () => {
      ask({ type: 'meta' }).reply(200, meta(btc, matic));

      expect(await openWith({ meta: meta(btc) }, -3_600_000).assetId('MATIC')).to.deep.equal({
        kind: 'found',
        data: 1,
      });
    });

    it('are not taken from a list of more than a day ago, in which numbers may have another meaning', async () => {
      const kept = { meta: meta(matic, btc) };
      ask({ type: 'meta' }).reply(200, main);

      expect(await openWith(kept, 25 * 60 * 60_000).assetId('BTC')).to.deep.equal({ kind: 'found', data: 0 });
    });
  });

  it('of the spot market take their sizes from the base token', async () => {
    ask({ type: 'spotMeta' }).reply(200, spotMeta);

    expect(await open().asset('@107')).to.nested.include({
      'data.id': 10_107,
      'data.kind': 'spot',
      'data.base': 'HYPE',
      'data.quoteToken': 0,
      'data.token': 150,
      'data.grid.priceDecimals': 6,
    });
  });

  it('are not fetched again within seconds for an unknown name, and a failure is not cached', async () => {
    const venue = open();
    ask({ type: 'meta' }).reply(500);
    ask({ type: 'meta' }).reply(200, meta(btc));

    const responses = [await venue.asset('BTC'), await venue.asset('NOSUCH'), await venue.asset('NOSUCH')];

    expect(responses.map(({ kind }) => kind)).to.deep.equal(['unreadable', 'absent', 'absent']);
  });

  for (const [more, backMs] of [
    ['', 0],
    [', also where the time was set back since, as by a failover', 3_600_000],
  ] as const)
    it(`are fetched again when a name is unknown and the list is stale${more}`, async () => {
      const venue = open();
      ask({ type: 'meta' }).reply(200, meta(btc));
      ask({ type: 'meta' }).reply(200, meta(btc, strict));
      await venue.asset('BTC');
      const now = performance.now.bind(performance);
      performance.now = () => now() + 6_000;
      goByDatabaseTime(backMs);

      const found = await venue.asset('NEW');

      performance.now = now;
      goByDatabaseTime(0);
      expect(found).to.nested.include({ 'data.id': 1 });
    });

  it('include their prices', async () => {
    const context = { markPx: '97123.0', oraclePx: '97100', funding: '0.0000125', openInterest: '10.5' };
    const contexts = [
      { ...context, midPx: '97122.5' },
      { ...context, midPx: null },
    ];
    ask({ type: 'metaAndAssetCtxs' }).reply(200, [meta(btc, matic), contexts]);
    ask({ type: 'allMids' }).reply(200, { BTC: '97122.50', '@107': '40.1' });
    const venue = open();

    const [markets, mids] = [await venue.markets(), await venue.mids()];

    expect(markets).to.nested.include({
      'data[0].asset.id': 0,
      'data[0].markPrice': '97123',
      'data[0].midPrice': '97122.5',
      'data[1].midPrice': null,
    });
    expect(mids).to.deep.equal({ kind: 'found', data: { BTC: '97122.5', '@107': '40.1' } });
  });

  for (const [what, body] of [
    ['fewer names than prices', [meta(btc), [{}, {}]]],
    ['a price that is no decimal', [meta(btc), [{ markPx: 97_123, oraclePx: '1' }]]],
    ['no lists', {}],
  ] as const) {
    it(`are unreadable with ${what}`, async () => {
      ask({ type: 'metaAndAssetCtxs' }).reply(200, body as nock.Body); // as: JSON of any shape

      expect(await open().markets()).to.include({ kind: 'unreadable' });
    });
  }

  it('have no mid price where the venue reports none', async () => {
    ask({ type: 'allMids' }).reply(200, { BTC: 97_122 });
    ask({ type: 'allMids' }).reply(200, 'null');
    const venue = open();

    expect(await venue.mids()).to.include({ kind: 'unreadable' });
    expect(await venue.mids()).to.include({ kind: 'unreadable' });
  });
});
