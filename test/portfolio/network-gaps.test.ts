import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import { absent, found, type ReadResult } from '../../src/kernel/upstream-result.ts';
import { readOrder } from '../../src/venues/network/adapter/orders.ts';
import type { Dashboard, DashboardOrder, DashboardPosition } from '../../src/venues/network/adapter/types.ts';
import { networkAccount } from '../../src/venues/network/portfolio/account.ts';
import { accountRules } from '../../src/venues/network/portfolio/account-rules.ts';
import { closedPositions } from '../../src/venues/network/portfolio/closed-positions.ts';
import { drawdownOf } from '../../src/venues/network/portfolio/drawdown.ts';
import { accountFacts } from '../../src/venues/network/portfolio/facts.ts';
import { filledOrders } from '../../src/venues/network/portfolio/filled-orders.ts';
import { networkLimits } from '../../src/venues/network/portfolio/limits.ts';
import { shownPosition } from '../../src/venues/network/portfolio/positions.ts';
import { readOpenPairs, weeksOf } from '../../src/venues/network/portfolio/read-model.ts';

const order = {
  ...{ uuid: 'o', tradePair: 'BTCUSDC', orderType: 'LONG', executionType: 'MARKET' },
  ...{ quantity: 1, price: 100, processedMs: 5 },
};
const POSITION: DashboardPosition = {
  uuid: 'p',
  tradePair: 'BTCUSDC',
  side: 'LONG',
  openMs: 1,
  closeMs: null,
  netLeverage: 0.1,
  averageEntryPrice: 100,
  realizedPnl: 0,
  unrealizedPnl: 5,
  returnNow: 1,
  netQuantity: null,
  netValue: 1,
  filledOrders: [],
  unfilledOrders: [],
  feesTotal: null,
};
const codeOf = (error: ApiError) => error.code;
const history = (more: Partial<DashboardOrder>) =>
  // as: what an order of a history is shown by
  filledOrders(
    [{ ...order, takeProfit: null, stopLoss: null, limitPrice: null, ...more } as DashboardOrder],
    new Map(),
    {
      fromMs: 0,
      toMs: null,
    },
    undefined,
  );

describe('what the network leaves out of a history', () => {
  it('makes it unreadable, and no order is left out', async () => {
    expect(await history({})).to.have.length(1);
    for (const gap of [{ processedMs: null }, { tradePair: null }, { executionType: null }])
      expect(await history(gap).catch(codeOf), JSON.stringify(gap)).to.equal('VENUE_UNREADABLE');
  });
});

describe('an open position of size 0', () => {
  it('is unreadable, whether the network says so or its orders do', () => {
    const shown = (more: Partial<DashboardPosition>) => () =>
      shownPosition({ ...POSITION, ...more }, {
        money: null,
        accountSize: 1,
        openOrders: [] as DashboardOrder[],
      } as Dashboard); // as: what is read of it

    expect(shown({ netQuantity: 2 })()).to.include({ size: '2' });
    for (const none of [{ netQuantity: 0 }, { filledOrders: [{ ...order, quantity: 0 } as DashboardOrder] }])
      expect(shown(none), JSON.stringify(none)).to.throw(ApiError).with.property('code', 'VENUE_UNREADABLE');
  });
});

describe('the payouts of an account of which the network shows none', () => {
  const WEEK_MS = 7 * 86_400_000;
  const ENDED_MS = 10.5 * WEEK_MS;
  const of = (startMs: number) => ({ startMs, endMs: startMs + WEEK_MS, payoutUsd: 50 });
  const payoutsOf = (elimination: Dashboard['elimination'], before: ReadResult<ReturnType<typeof of>[]>) => {
    const settlements = async (_of: object, untilMs?: number) =>
      untilMs === undefined ? absent : untilMs < ENDED_MS ? before : found([]);
    return weeksOf({ settlements, networkOrders: async () => absent }, { uuid: 'uuid', hotkey: null }, {
      status: 'active',
      bucket: null,
      elimination,
    } as Dashboard); // as: what is read of it
  };

  it('are none while it lives, and after a challenge that it has failed', async () => {
    expect(await payoutsOf(null, absent)).to.deep.equal([]);
    expect(await payoutsOf({ atMs: ENDED_MS, reason: 'FAILED_CHALLENGE_PERIOD_TIME' }, absent)).to.deep.equal([]);
  });

  it('are those of the weeks before its elimination, or unreadable, never none because it has ended', async () => {
    const reason = 'INACTIVE';
    const weeks = found([of(8 * WEEK_MS), of(10 * WEEK_MS)]);

    expect(await payoutsOf({ atMs: ENDED_MS, reason }, weeks)).to.deep.equal([of(8 * WEEK_MS)]);
    expect(await payoutsOf({ atMs: ENDED_MS, reason }, absent).catch(codeOf)).to.equal('VENUE_UNREADABLE');
    expect(await payoutsOf({ atMs: null, reason }, weeks).catch(codeOf)).to.equal('VENUE_UNREADABLE');
  });
});

describe('an account of the network', () => {
  const none = { intraday: 0, intradayLimit: null, overall: 0, overallLimit: null, equity: 0 };
  const limits = networkLimits(
    {
      tier: 1,
      accountSize: 100,
      portfolioMultiple: 4,
      portfolioUsd: 400,
      perPairUsd: 50,
      classUsd: null,
      pairLeverage: {},
    },
    [],
  );
  const leverageAt = (balance: number, capitalUsed: number) => () => {
    const money = { realizedPnl: balance - 100, capitalUsed, balance, buyingPower: 0 };
    const shown = {
      status: 'active',
      bucket: 'SUBACCOUNT_CHALLENGE',
      accountSize: 100,
      drawdown: none,
      overallRule: 'drawdown.eod',
      money,
      totalLeverage: null,
    } as Dashboard; // as: what is shown
    return networkAccount({ venue: 'netvenue', hotkey: 'e_1', wallet: null }, shown, limits, null).current_leverage;
  };

  it('shows no leverage of 0, and none below it, for capital in use without a balance', () => {
    expect(leverageAt(50, 100)()).to.equal('2');
    expect(leverageAt(0, 0)()).to.equal('0');
    for (const balance of [0, -5])
      expect(leverageAt(balance, 100), String(balance)).to.throw(ApiError).with.property('code', 'VENUE_UNREADABLE');
  });

  it('has no drawdown of 0 before its first evaluation while capital is in use that no position shows', () => {
    const drawdownWith =
      (capitalUsed: number | null, positions = false) =>
      () => {
        const money = { realizedPnl: 0, capitalUsed, balance: 100, buyingPower: 0 };
        const reported = { positions, orders: false };
        const account = { accountSize: 100, overallRule: 'drawdown.eod', drawdown: null, createdMs: 1 };
        return drawdownOf({ ...account, positions: [], money, reported } as never); // as: what is read
      };

    expect(drawdownWith(0)()).to.include({ intraday: 0, overall: 0 });
    expect(drawdownWith(null, true)()).to.include({ intraday: 0, overall: 0 });
    for (const used of [40, null])
      expect(drawdownWith(used), String(used)).to.throw(ApiError).with.property('code', 'VENUE_UNREADABLE');
  });

  it('with static drawdown is measured from its size, also before its first evaluation', () => {
    const shown = {
      status: 'active',
      bucket: 'SUBACCOUNT_FUNDED',
      overallRule: 'drawdown.static',
      accountSize: 100,
      drawdown: null,
      createdMs: 1,
      atMs: 2,
      positions: [{ closeMs: null, unrealizedPnl: -1 }],
      money: { realizedPnl: 0, capitalUsed: 40, balance: 100, buyingPower: 0 },
      totalLeverage: 0.4,
      reported: { positions: true, closed: true, orders: true },
    } as Dashboard; // as: what is read
    const caps = { portfolioUsd: 400, accountSize: 100, classUsd: null } as never; // as: what is read

    expect(accountFacts(shown).drawdowns.map(({ rule, current, limit }) => [rule, current, limit])).to.deep.equal([
      ['drawdown.intraday', '1', '5'],
      ['drawdown.static', '1', '5'],
    ]);
    expect(accountRules(shown, caps).map(({ rule_id }) => rule_id))
      .to.include('drawdown.static')
      .and.not.include('drawdown.eod');
  });

  it('has no limit of 0 USD for a position where neither record of the network has one', () => {
    const without = {
      ...{ tier: 1, accountSize: 100, portfolioMultiple: 4, portfolioUsd: 400, perPairUsd: null, classUsd: null },
      pairLeverage: {},
    };

    expect(() => networkLimits(without, []))
      .to.throw(ApiError)
      .with.property('code', 'VENUE_UNREADABLE');
    expect(networkLimits({ ...without, pairLeverage: { BTCUSDC: 0.5 } }, [])).to.include({
      max_position_per_pair_usd: 50,
    });
  });
});

describe('a closed position that the network shows without the source of its orders', () => {
  const reasonOf = (closing: string) => {
    const orders = [
      readOrder({ t: 'LONG', e: 'MARKET', p: 1, q: 1, v: 100, pr: 100 }, 'p'),
      readOrder({ t: 'FLAT', e: 'MARKET', p: 9, q: -1, v: -90, pr: 90 }, closing),
    ];
    const closed = { uuid: 'p', tradePair: 'BTCUSDC', side: 'FLAT', openMs: 1, closeMs: 9, averageEntryPrice: 100 };
    const position = {
      ...closed,
      realizedPnl: -10,
      filledOrders: orders,
      unfilledOrders: [],
      returnNow: 1,
      feesTotal: 0,
    };
    const account = { elimination: { atMs: 9, reason: 'LIQUIDATED' }, reported: { closed: true } } as Dashboard; // as: what is read
    return closedPositions(account, [position as never], { fromMs: 0, toMs: null }, undefined)[0]?.entry.close_reason;
  };

  it('was closed by what the name of its last order says, if the network forced it, else by its trader', () => {
    expect(['p-close-3', 'p-close-12', 'p-close-2', 'p-flat-all', 'another'].map(reasonOf)).to.deep.equal([
      ...['elimination', 'promotion', 'other', 'trader', 'trader'],
    ]);
  });
});

describe('what is read to close positions', () => {
  const position = { uuid: 'A', tradePair: 'BTCUSDC', side: 'LONG', closeMs: null };
  const pairsBesideOdd = (sought: string, book: ReadResult<unknown>) => {
    const shown = { positions: [position], reported: { positions: false } };
    const reads = { dashboardNow: async () => found(shown), networkOrders: async () => book } as never; // as: what is read
    return readOpenPairs(reads, 'e_1', (pairs) => pairs.has(sought));
  };

  it('suffices beside a position that cannot be read, which is no other one', async () => {
    const pairs = new Map([['a', 'BTCUSDC']]);
    const book = found({ unfilled: [], filled: [order], cancelled: [] });

    expect(await pairsBesideOdd('a', book)).to.deep.equal({ pairs, areAll: true });
    expect(await pairsBesideOdd('b', book)).to.deep.equal({ pairs, areAll: false });
    expect(await pairsBesideOdd('b', { kind: 'absent' })).to.deep.equal({ pairs, areAll: false });
  });
});
