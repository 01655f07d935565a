import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'aB'.repeat(20)}`;
const CLOID = `0x${'0'.repeat(31)}a`;

const open = (): Exvenue => exvenue({ url: VENUE, network: 'mainnet' });
const question = (body: object) => nock(VENUE).post('/info', { user: USER.toLowerCase(), ...body });
const shared = (body: object) => nock(VENUE).post('/info', body as nock.RequestBodyMatcher); // as: plain JSON matches itself

const order = {
  coin: 'BTC',
  side: 'A',
  limitPx: '93708.0',
  sz: '0.00047',
  oid: 62_014_444_172,
  timestamp: 1_747_128_626_867,
  triggerCondition: 'Price below 101856',
  isTrigger: true,
  triggerPx: '101856.0',
  children: [],
  isPositionTpsl: false,
  reduceOnly: true,
  orderType: 'Stop Market',
  origSz: '0.00100',
  tif: null,
  cloid: null,
};
const limit = { ...order, orderType: 'Limit', isTrigger: false, triggerPx: '0.0', tif: 'Alo', side: 'B', cloid: CLOID };
const fill = {
  coin: 'ETH',
  px: '1703.90',
  sz: '0.01',
  side: 'B',
  time: 1_700_000_000_000,
  startPosition: '-0.02',
  dir: 'Close Short',
  closedPnl: '1.0',
  hash: `0x${'0'.repeat(64)}`,
  oid: 5,
  crossed: true,
  fee: '-0.1',
  feeToken: 'USDC',
  tid: 9,
  twapId: null,
};
const position = {
  coin: 'ETH',
  szi: '-0.0335',
  leverage: { type: 'isolated', value: 20, rawUsd: '-95.059824' },
  entryPx: '2986.3',
  positionValue: '100.02765',
  unrealizedPnl: '-0.0134',
  returnOnEquity: '-0.0026789',
  liquidationPx: null,
  marginUsed: '4.967826',
  maxLeverage: 50,
  cumFunding: { allTime: '514.085417', sinceChange: '0.0', sinceOpen: '0.0' },
};
const summary = {
  accountValue: '13109.482328',
  totalNtlPos: '100.0',
  totalRawUsd: '13009.5',
  totalMarginUsed: '4.967826',
};
const state = {
  marginSummary: summary,
  crossMarginSummary: summary,
  crossMaintenanceMarginUsed: '0.0',
  withdrawable: '13104.514502',
  assetPositions: [{ type: 'oneWay', position }],
  time: 1_708_622_398_623,
};

describe('reading the exchange', () => {
  alone();

  it('requests an account by its address in lower case, and reads its positions', async () => {
    question({ type: 'clearinghouseState' }).reply(200, state);

    expect(await open().account(USER)).to.deep.equal({
      kind: 'found',
      data: {
        dex: '',
        accountValue: '13109.482328',
        totalPositionValue: '100',
        marginUsed: '4.967826',
        withdrawable: '13104.514502',
        positions: [
          {
            coin: 'ETH',
            size: '-0.0335',
            entryPrice: '2986.3',
            positionValue: '100.02765',
            unrealizedPnl: '-0.0134',
            liquidationPrice: null,
          },
        ],
        atMs: 1_708_622_398_623,
      },
    });
  });

  it('reads the empty state of an agent address as an empty account', async () => {
    const none = { ...summary, accountValue: '0.0', totalNtlPos: '0.0', totalMarginUsed: '0.0' };
    question({ type: 'clearinghouseState' }).reply(200, { ...state, marginSummary: none, assetPositions: [] });

    expect(await open().account(USER)).to.nested.include({ 'data.accountValue': '0', 'data.positions.length': 0 });
  });

  it('adds builder dexes to the venue’s own markets, and misses none', async () => {
    const venue = open();
    shared({ type: 'perpDexs' }).reply(200, [null, { name: 'xyz', fullName: 'XYZ' }]);
    question({ type: 'clearinghouseState' }).times(2).reply(200, state);
    question({ type: 'clearinghouseState', dex: 'xyz' }).reply(200, { ...state, assetPositions: [] });
    question({ type: 'clearinghouseState', dex: 'xyz' }).reply(500);

    const [whole, part] = [await venue.accounts(USER), await venue.accounts(USER)];

    expect(whole).to.nested.include({ 'data[0].dex': '', 'data[1].dex': 'xyz' });
    expect(part).to.deep.equal({ kind: 'unreadable', why: 'status 500' });
  });

  it('computes free spot money, never below zero', async () => {
    const row = { coin: 'USDC', token: 0, entryNtl: '0.0' };
    const given = [
      { ...row, total: '14.6', hold: '4.60' },
      { ...row, coin: 'HYPE', token: 150, total: '1', hold: '2' },
    ];
    question({ type: 'spotClearinghouseState' }).reply(200, { balances: given });

    const balances = await open().spotBalances(USER);

    expect(balances).to.nested.include({ 'data[0].free': '10', 'data[1].free': '0' });
  });

  it('identifies USDC by its number: without the number the balance is unreadable, not zero', async () => {
    const balances = [{ coin: 'USDC', total: '14.6', hold: '0.0', entryNtl: '0.0' }];
    question({ type: 'spotClearinghouseState' }).reply(200, { balances });

    expect((await open().spotBalances(USER)).kind).to.equal('unreadable');
  });

  it('finds the execution of an order whose record is gone', async () => {
    const venue = open();
    question({ type: 'orderStatus', oid: CLOID }).reply(200, { status: 'unknownOid' });
    question({ type: 'userFills' }).reply(200, [{ ...fill, cloid: CLOID.toUpperCase().replace('0X', '0x') }, fill]);

    const [status, fills] = [await venue.orderStatus(USER, CLOID), await venue.recentFills(USER)];

    expect(status).to.deep.equal({ kind: 'absent' });
    expect(fills).to.nested.include({ 'data[0].cloid': CLOID, 'data[1].cloid': null });
  });

  it('lists agents and the budget of actions', async () => {
    const venue = open();
    question({ type: 'extraAgents' }).reply(200, [{ name: 'desk', address: USER, validUntil: 1_760_000_000_000 }]);
    question({ type: 'userRateLimit' }).reply(200, {
      cumVlm: '2854574.590',
      nRequestsUsed: 2890,
      nRequestsCap: 2864574,
      nRequestsSurplus: 0,
    });

    const [agents, budget] = [await venue.agents(USER), await venue.actionBudget(USER)];
    expect(agents).to.deep.equal({
      kind: 'found',
      data: [{ name: 'desk', address: USER.toLowerCase(), validUntilMs: 1_760_000_000_000 }],
    });
    expect(budget).to.nested.include({ 'data.used': 2890, 'data.cap': 2864574, 'data.volumeUsd': '2854574.59' });
  });

  for (const [what, status, body] of [
    ['500', 500, ''],
    ['a page with 200', 200, '<html>'],
    ['cut-off JSON', 200, '[{"coin":"BTC","si'],
    ['null', 200, 'null'],
    ['something else', 200, '{"orders":[]}'],
    ['a list with a member that could be any order', 200, JSON.stringify([limit, { ...limit, oid: '7' }])],
    ['a list with such a child', 200, JSON.stringify([{ ...limit, children: [{}] }])],
    ['422', 422, 'Failed to deserialize the JSON body into the target type'],
  ] as const) {
    it(`is unreadable, never empty: ${what}`, async () => {
      question({ type: 'frontendOpenOrders' }).reply(status, body);
      expect(await open().openOrders(USER)).to.include({ kind: 'unreadable' });
    });
  }

  it('passes over an order of an unknown form, but still knows its names', async () => {
    const venue = open();
    const odd = { ...limit, oid: 8, coin: '#194180', side: 'X', limitPx: 93708, sz: '1.0', origSz: '1.0' };
    question({ type: 'frontendOpenOrders' })
      .times(2)
      .reply(200, JSON.stringify([odd, limit]));
    const [orders, names] = [await venue.openOrders(USER), await venue.openOrderNames(USER)];
    expect(orders).to.have.nested.property('data').of.length(1);
    expect(names).to.have.nested.property('data').of.length(2);
    expect(names).to.deep.nested.include({
      'data[0].oid': 8,
      'data[0].coin': '#194180',
      'data[0].isPartlyFilled': false,
    });
    expect(names).to.deep.nested.include({ 'data[1].isPartlyFilled': true });
  });

  it('is unreadable when there is no response, and gives a short reason', async () => {
    const venue = open();
    const error = Object.assign(new Error(`${VENUE} ${USER}`), { code: 'ECONNREFUSED' });
    question({ type: 'extraAgents' }).replyWithError(error);
    question({ type: 'extraAgents' }).delay(300).reply(200, []);
    expect(await venue.agents(USER)).to.deep.equal({ kind: 'unreadable', why: 'ECONNREFUSED' });
    expect(await venue.agents(USER, { timeoutMs: 50 })).to.include({ kind: 'unreadable' });
  });

  it('sends nothing for a while after a 429', async () => {
    const venue = open();
    question({ type: 'extraAgents' }).reply(429, 'null');
    const [reported, quiet] = [await venue.agents(USER), await venue.agents(USER, { timeoutMs: 50 })];
    expect(reported).to.deep.equal({ kind: 'unreadable', why: 'status 429' });
    expect(quiet).to.deep.equal({ kind: 'unreadable', why: 'BUDGET' });
  });

  it('reads no row with an impossible time', async () => {
    const NEVER = 9_000_000_000_000_000; // a safe integer
    const paid = { time: NEVER, delta: { coin: 'ETH', usdc: '-0.1', szi: '1.0', fundingRate: '0.00001' } };
    question({ type: 'userFills' }).reply(200, [fill, { ...fill, time: NEVER }]);
    question({ type: 'userFunding', startTime: 0 }).reply(200, [paid]);
    question({ type: 'clearinghouseState' }).reply(200, { ...state, time: NEVER });
    for (const times of [{ statusTimestamp: NEVER }, { statusTimestamp: 1, order: { ...limit, timestamp: NEVER } }])
      question({ type: 'orderStatus', oid: CLOID }).reply(200, {
        status: 'order',
        order: { order: limit, status: 'open', ...times },
      });

    const reads = [
      await open().recentFills(USER),
      await open().funding(USER, 0),
      await open().account(USER),
      await open().orderStatus(USER, CLOID),
      await open().orderStatus(USER, CLOID),
    ];

    expect(reads.map(({ kind }) => kind)).to.deep.equal(Array(5).fill('unreadable'));
  });
});
