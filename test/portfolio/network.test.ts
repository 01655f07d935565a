import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import { absent, found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import type {
  Dashboard,
  DashboardOrder,
  DashboardPosition,
  OrderBook,
} from '../../src/venues/network/adapter/types.ts';
import { networkAccount } from '../../src/venues/network/portfolio/account.ts';
import { closedPositions } from '../../src/venues/network/portfolio/closed-positions.ts';
import { drawdownOf } from '../../src/venues/network/portfolio/drawdown.ts';
import { filledOrders } from '../../src/venues/network/portfolio/filled-orders.ts';
import { networkLimits, pairMultiple } from '../../src/venues/network/portfolio/limits.ts';
import { provenPositions, shownPosition } from '../../src/venues/network/portfolio/positions.ts';

const order = (more: Partial<DashboardOrder> = {}): DashboardOrder => ({
  uuid: 'o',
  tradePair: 'BTCUSDC',
  orderType: 'LONG',
  executionType: 'MARKET',
  leverage: null,
  value: 1_000,
  quantity: 0.01,
  price: 100_000,
  limitPrice: null,
  stopPrice: null,
  stopCondition: null,
  stopLoss: null,
  takeProfit: null,
  trailingStop: null,
  brackets: null,
  processedMs: 1,
  source: null,
  ...more,
});

const position = (more: Partial<DashboardPosition> = {}): DashboardPosition => ({
  uuid: 'p',
  tradePair: 'BTCUSDC',
  side: 'LONG',
  openMs: 1,
  closeMs: null,
  netLeverage: 0.1,
  averageEntryPrice: 100_000,
  realizedPnl: 0,
  unrealizedPnl: 5,
  returnNow: 1,
  netQuantity: null,
  netValue: null,
  filledOrders: [order()],
  unfilledOrders: [],
  feesTotal: null,
  ...more,
});

const dashboard = (more: Partial<Dashboard> = {}): Dashboard => ({
  status: 'active',
  syntheticHotkey: 'e_1',
  subaccountUuid: 'u',
  exAddress: null,
  payoutAddress: null,
  kycStatus: null,
  atMs: 5 * 86_400_000,
  drawdown: null,
  overallRule: 'drawdown.eod',
  money: { realizedPnl: 0, capitalUsed: 0, balance: 10_000, buyingPower: 15_000 },
  totalLeverage: null,
  assetClass: 'crypto',
  accountSize: 10_000,
  createdMs: 1,
  bucket: 'SUBACCOUNT_CHALLENGE',
  elimination: null,
  positions: [],
  openOrders: [],
  closedOrders: [],
  reported: { positions: true, closed: true, orders: true },
  ...more,
});

const limits = {
  tier: 1,
  accountSize: 10_000,
  portfolioMultiple: null,
  portfolioUsd: 15_000,
  perPairUsd: null,
  classUsd: null,
  pairLeverage: { BTCUSDC: 1.5 },
};
const rejects = (what: () => unknown) => expect(what).to.throw(ApiError).with.property('code', 'VENUE_UNREADABLE');

describe('missing fields of a dashboard', () => {
  const missing = dashboard({ reported: { positions: false, closed: true, orders: false } });
  const book = (filled: DashboardOrder[]): ReadResult<OrderBook> => found({ unfilled: [], filled, cancelled: [] });

  it('mean no position only with proof: a book without executions', async () => {
    expect(await provenPositions(missing, async () => absent)).to.deep.equal([]);
    expect(await provenPositions(missing, async () => book([]))).to.deep.equal([]);
  });

  for (const [what, response] of [
    ['a book with an execution', book([order()])],
    ['a book that cannot be read', unreadable('x')],
  ] as const) {
    it(`make it unreadable without proof: ${what}`, async () => {
      const outcome = await provenPositions(missing, async () => response).catch((error: unknown) => error);

      expect(outcome).to.be.instanceOf(ApiError).with.property('code', 'VENUE_UNREADABLE');
    });
  }

  it('mean no drawdown for an account that never traded, and make it unreadable for one that did', () => {
    expect(drawdownOf(dashboard())).to.include({ intraday: 0, intradayLimit: 5, overallLimit: 5 });
    expect(drawdownOf(dashboard({ bucket: 'SUBACCOUNT_FUNDED' }))).to.include({ overallLimit: 8 });
    rejects(() => drawdownOf(dashboard({ positions: [position()] })));
    rejects(() =>
      drawdownOf(dashboard({ money: { realizedPnl: 5, capitalUsed: 0, balance: 10_005, buyingPower: 0 } })),
    );
  });

  it('are computed from the size of an account created today', () => {
    const young = dashboard({ createdMs: 5 * 86_400_000, positions: [position({ unrealizedPnl: -100 })] });

    expect(drawdownOf(young)).to.include({ overall: 0, equity: 0.99 });
    expect(drawdownOf(young).intraday).to.be.closeTo(1, 1e-9);
    rejects(() => drawdownOf({ ...young, positions: [position({ unrealizedPnl: null })] }));
    rejects(() => drawdownOf({ ...young, createdMs: 4 * 86_400_000 }));
  });

  it('make it unreadable when the money of an account is missing', () => {
    const trader = { venue: 'exvenue', wallet: '0x', hotkey: null } as const;
    const shown = networkLimits(limits, []);

    rejects(() => networkAccount(trader, dashboard({ money: null }), shown, null));
    rejects(() => networkAccount(trader, dashboard({ accountSize: null }), shown, null));
    expect(networkAccount(trader, dashboard(), shown, null)).to.include({ account_balance: '10000', subaccount_id: 1 });
  });

  it('make it unreadable when the size, price or gain of a position is missing', () => {
    for (const more of [
      { filledOrders: [order({ quantity: null, value: null })] },
      { filledOrders: [] },
      { averageEntryPrice: null },
      { unrealizedPnl: null, returnNow: null },
      { netLeverage: null },
    ]) {
      rejects(() => shownPosition(position(more), dashboard()));
    }
  });

  it('are computed from other fields where possible', () => {
    expect(shownPosition(position({ filledOrders: [order({ quantity: null })] }), dashboard())).to.include({
      size: '0.01',
    });
    expect(shownPosition(position({ netQuantity: -2, netValue: -30 }), dashboard())).to.include({
      size: '2',
      position_value: '30',
    });
    expect(shownPosition(position({ unrealizedPnl: null, returnNow: 1.01 }), dashboard())).to.include({
      unrealized_pnl: '100',
    });
    expect(shownPosition(position({ tradePair: 'EURUSD' }), dashboard())).to.include({
      symbol: 'EUR-USD',
      mark_price: null,
    });
  });
});

describe('limits of the network', () => {
  const pair = {
    tradePair: 'ETHUSDC',
    display: 'ETH/USDC',
    category: 'crypto',
    source: 'hyperliquid',
    state: 'allowed',
    maxLeverage: 3,
    exCoin: 'ETH',
    leverageByTier: { 1: 1.5, 2: 2 },
  } as const;

  it('take the size from the multiple where it is missing', () => {
    const reported = networkLimits({ ...limits, accountSize: null, portfolioMultiple: 1.5 }, []);

    expect(reported).to.include({ account_level: 1.5, max_position_per_pair_usd: 15_000 });
    rejects(() => networkLimits({ ...limits, accountSize: null }, []));
  });

  it('of one pair come from the account, then its tier, then those of all pairs, then the registry', () => {
    expect(pairMultiple({ ...limits, pairLeverage: { ETHUSDC: 9 } }, pair)).to.equal(9);
    expect(pairMultiple(limits, pair)).to.equal(1.5);
    expect(pairMultiple({ ...limits, tier: 3, perPairUsd: 5_000 }, pair)).to.equal(0.5);
    expect(pairMultiple({ ...limits, tier: null }, pair)).to.equal(3);
  });
});

describe('histories of the network', () => {
  const always = { fromMs: 0, toMs: null };
  const reasonOf = (last: Partial<DashboardOrder>, more: Partial<Dashboard> = {}) => {
    const filled = [order(), order({ uuid: 'c', orderType: 'FLAT', quantity: -0.01, processedMs: 9, ...last })];
    const closed = position({ side: 'FLAT', closeMs: 9, realizedPnl: 3, filledOrders: filled });
    return closedPositions(dashboard(more), [closed], always, undefined)[0]?.entry.close_reason;
  };

  for (const [last, reason] of [
    [{ source: 0 }, 'trader'],
    [{ source: 11 }, 'trader'],
    [{ source: 1 }, 'elimination'],
    [{ source: 3 }, 'elimination'],
    [{ source: 12 }, 'promotion'],
    [{ source: 2 }, 'other'],
    [{ source: 99 }, 'other'],
    [{ source: 9, price: 129_000, takeProfit: 130_000, stopLoss: 90_000 }, 'take_profit'],
    [{ executionType: 'BRACKET', price: 91_000, takeProfit: 130_000, stopLoss: 90_000 }, 'stop_loss'],
    [{ executionType: 'BRACKET', takeProfit: 130_000 }, 'take_profit'],
    [{ executionType: 'FLAT_ALL' }, 'trader'],
    [{ executionType: null }, null],
  ] as const) {
    it(`report why a position was closed: ${JSON.stringify(last)} is ${reason}`, () => {
      expect(reasonOf(last)).to.equal(reason);
    });
  }

  it('report elimination for positions flattened with the account', () => {
    expect(reasonOf({ executionType: 'FLAT_ALL' }, { elimination: { atMs: 5, reason: 'LIQUIDATED' } })).to.equal(
      'elimination',
    );
  });

  it('report the maximum size of a position, by the side it was opened on, and none of size 0 without its orders', () => {
    const filled = [
      order({ orderType: 'SHORT', quantity: -1, value: -100, processedMs: 1 }),
      order({ orderType: 'SHORT', quantity: -2, value: -200, processedMs: 2 }),
      order({ orderType: 'FLAT', quantity: 3, value: 300, processedMs: 3 }),
    ];
    const closed = position({ side: 'FLAT', closeMs: 3, filledOrders: filled });

    const [shown] = closedPositions(dashboard(), [closed], always, undefined);
    const without = () => closedPositions(dashboard(), [{ ...closed, filledOrders: [] }], always, undefined);

    expect(shown?.entry).to.include({ side: 'short', size: '3', position_value: '300' });
    expect(without).to.throw(ApiError);
  });

  it('show a FLAT order by the sign of its change, and never show a foreign order as an order of the service', async () => {
    const shown = await filledOrders([order({ orderType: 'FLAT', quantity: -0.5 })], new Map(), always, 'BTC');

    expect(shown[0]?.entry).to.include({ side: 'short', size: '0.5', order_id: 'o', client_order_id: null });
  });
});
