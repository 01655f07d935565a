import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'1'.repeat(40)}`;

/** An exchange that responds to one kind of question. */
const responding = (type: string, response: unknown) => {
  nock(VENUE)
    .post('/info', (body) => body.type === type)
    .reply(200, JSON.stringify(response));
  return exvenue({ url: VENUE, network: 'mainnet' });
};

describe('what the exchange lists twice', () => {
  alone();

  const twice = (row: object) => [row, { ...row }];
  const state = {
    marginSummary: { accountValue: '1', totalNtlPos: '1', totalMarginUsed: '0' },
    ...{ withdrawable: '1', assetPositions: twice({ position: { coin: 'BTC', szi: '1' } }), time: 1 },
  };

  it('is no balance or position of twice the size', async () => {
    const balances = twice({ coin: 'USDC', token: 0, total: '5', hold: '0' });

    expect(await responding('spotClearinghouseState', { balances }).spotBalances(USER)).to.include({
      kind: 'unreadable',
    });
    expect(await responding('clearinghouseState', state).account(USER)).to.include({ kind: 'unreadable' });
  });

  it('is one execution', async () => {
    const fill = {
      oid: 5,
      coin: 'BTC',
      side: 'B',
      px: '1',
      sz: '1',
      time: 1,
      startPosition: '0',
      closedPnl: '0',
      fee: '0',
    };
    const rows = [...twice({ ...fill, tid: 9 }), { ...fill, tid: 10 }, { ...fill, oid: 6, tid: 10 }, ...twice(fill)];

    const fills = await responding('userFillsByTime', rows).fills(USER, { fromMs: 0 });

    expect(fills.kind === 'found' && fills.data.map(({ tradeId }) => tradeId)).to.deep.equal([9, 10, 10, null, null]);
  });
});

describe('lists from whose places numbers follow', () => {
  alone();

  const coin = (name: string) => ({ name, szDecimals: 5, maxLeverage: 40 });
  const xyz = coin('xyz:GOLD');

  for (const [what, builders] of [
    ['that lacks the venue’s own dex: a coin of the first one would be one of the venue’s own', [{ name: 'xyz' }]],
    ['that names a dex twice: the numbers of those behind it would be shifted', [null, { name: 'a' }, { name: 'a' }]],
    ['without entries: accounts on builder dexes would be left out of sums', []],
  ] as const)
    it(`are no list of dexes ${what}`, async () => {
      nock(VENUE)
        .post('/info', { type: 'meta', dex: 'xyz' })
        .reply(200, { universe: [xyz] });
      nock(VENUE).post('/info', { type: 'perpDexs' }).times(3).reply(200, JSON.stringify(builders));
      const venue = exvenue({ url: VENUE, network: 'mainnet' });

      expect(await venue.assetId('xyz:GOLD')).to.include({ kind: 'unreadable' });
      expect(await venue.dexes()).to.include({ kind: 'unreadable' });
      expect(await venue.accounts(USER)).to.include({ kind: 'unreadable' });
      nock.cleanAll();
    });

  for (const [what, universe] of [
    ['that has a coin twice: the numbers of those behind it would be shifted', [coin('BTC'), coin('BTC'), coin('ETH')]],
    ['without entries: every coin would be unknown', []],
  ] as const)
    it(`are no list of the venue’s own coins ${what}`, async () => {
      nock(VENUE).post('/info', { type: 'meta' }).times(2).reply(200, { universe });

      expect(await exvenue({ url: VENUE, network: 'mainnet' }).assetId('ETH')).to.include({ kind: 'unreadable' });
      nock.cleanAll();
    });
});

describe('values that the exchange never has', () => {
  alone();

  it('are no prices: a coin whose price is not above 0 has none', async () => {
    const venue = responding('allMids', { BTC: '0.0', ETH: '-1', SOL: '150.5' });

    expect(await venue.mids()).to.deep.equal({ kind: 'found', data: { SOL: '150.5' } });
  });

  it('hide only the asset that has them', async () => {
    const named = ['BTC', 'ETH', 'SOL'].map((name, n) => ({ name, szDecimals: [-1, 4, 1e9][n] }));
    const venue = responding('meta', { universe: named });

    expect(await venue.asset('ETH')).to.nested.include({ kind: 'found', 'data.id': 1 });
    expect(await venue.asset('BTC')).to.include({ kind: 'unreadable' });
    expect(await venue.asset('SOL')).to.include({ kind: 'unreadable' });
  });

  it('are no executions of the future, after which none would be read any more', async () => {
    const fill = { oid: 5, coin: 'BTC', side: 'B', px: '1', sz: '1', startPosition: '0', closedPnl: '0', fee: '0' };
    const readAhead = (ms: number) =>
      responding('userFillsByTime', [{ ...fill, time: Date.now() + ms }]).fills(USER, { fromMs: 0 });

    expect(await readAhead(60_000)).to.include({ kind: 'found' });
    expect(await readAhead(2 * 86_400_000)).to.include({ kind: 'unreadable' });
  });

  it('are no payments of the future either', async () => {
    const delta = { coin: 'BTC', usdc: '1', szi: '1', fundingRate: '0.1' };
    const readAhead = (ms: number) => responding('userFunding', [{ time: Date.now() + ms, delta }]).funding(USER, 0);

    expect(await readAhead(60_000)).to.include({ kind: 'found' });
    expect(await readAhead(2 * 86_400_000)).to.include({ kind: 'unreadable' });
  });

  it('are not computed with: a balance of a million digits', async () => {
    const row = { coin: 'USDC', token: 0, total: '9'.repeat(1_000_000), hold: '0' };
    const venue = responding('spotClearinghouseState', { balances: [row] });

    expect(await venue.spotBalances(USER)).to.include({ kind: 'unreadable' });
  }).timeout(2_000);

  for (const filled of [
    { totalSz: '0', avgPx: '100', oid: 7 },
    { totalSz: '-1', avgPx: '100', oid: 7 },
    { totalSz: '1', avgPx: '0', oid: 7 },
  ])
    it(`leave an order in doubt: ${JSON.stringify(filled)}`, async () => {
      nock(VENUE)
        .post('/exchange')
        .reply(200, { status: 'ok', response: { type: 'order', data: { statuses: [{ filled }] } } });
      const venue = exvenue({ url: VENUE, network: 'mainnet' });
      const order = { asset: 1, side: 'buy', price: '1', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
      const body = await venue
        .signerOf('c'.repeat(64))
        ?.sign({ kind: 'place', orders: [order], grouping: 'none' }, { nonce: 1 });

      expect(await venue.post(String(body), { firstSend: true })).to.include({ kind: 'unknown' });
    });
});
