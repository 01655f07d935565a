import { expect } from 'chai';
import type { Dashboard } from '../../src/venues/network/adapter/types.ts';
import { alone } from '../support/alone.ts';
import { HOTKEY, validator, venue, WALLET } from '../support/validator.ts';

const UUID = '550e8400-e29b-41d4-a716-446655440000';
const info = { synthetic_hotkey: HOTKEY, status: 'active', asset_class: 'crypto', account_size: 100_000 };
const equities = { current_equity: 1.032, daily_open_equity: 1.045, eod_hwm: 1.065, last_eod_equity: 1.05 };

const shown = async (sections: object): Promise<Dashboard> => {
  validator
    .get(`/v2/entity/subaccount/${HOTKEY}`)
    .reply(200, { status: 'success', dashboard: { subaccount_info: info, ...sections }, timestamp: 7 });
  const response = await venue.dashboard(HOTKEY);
  if (response.kind !== 'found') throw new Error(response.kind);
  return response.data;
};

describe('reading drawdowns of the network', () => {
  alone();

  it('converts them from points, and their limits from fractions, to percent', async () => {
    const { drawdown } = await shown({
      drawdown: {
        ...equities,
        intraday_drawdown_pct: 1.24,
        eod_drawdown_pct: 1.41,
        intraday_drawdown_threshold: 0.05,
        eod_drawdown_threshold: 0.08,
      },
    });

    expect(drawdown).to.deep.equal({
      intraday: 1.24,
      intradayLimit: 5,
      overall: 1.41,
      overallLimit: 8,
      equity: 1.032,
    });
  });

  it('reads the fall below the size of an account with static drawdown, which no end of day eliminates', async () => {
    const drawdown = {
      ...equities,
      eod_drawdown_pct: 9,
      static_drawdown_pct: 2.5,
      eod_drawdown_threshold: 0.08,
      static_drawdown_threshold: 0.05,
    };
    const inBucket = (bucket: string, section: object) => shown({ challenge_period: { bucket }, drawdown: section });

    const isStatic = await inBucket('SUBACCOUNT_FUNDED', { ...drawdown, criteria: 'static' });
    expect(isStatic.overallRule).to.equal('drawdown.static');
    expect(isStatic.drawdown).to.include({ overall: 2.5, overallLimit: 5 });
    for (const [bucket, criteria] of [
      ['SUBACCOUNT_FUNDED', 'trailing'],
      ['PRO_FUNDED', 'static'],
    ] as const) {
      const trailing = await inBucket(bucket, { ...drawdown, criteria });
      expect(trailing.overallRule, bucket).to.equal('drawdown.eod');
      expect(trailing.drawdown, bucket).to.include({ overall: 9, overallLimit: 8 });
    }
  });

  it('reads the fall of a pro account below its highest end of day as it is now, where a build measures that', async () => {
    const drawdown = { ...equities, eod_drawdown_pct: 1.41, eod_drawdown_threshold: 0.08 };
    const overallIn = async (bucket: string, section: object) =>
      (await shown({ challenge_period: { bucket }, drawdown: { ...drawdown, ...section } })).drawdown?.overall;

    expect(await overallIn('PRO_FUNDED', { trailing_drawdown_pct: 3.1 })).to.equal(3.1);
    expect(await overallIn('PRO_FUNDED', {})).to.equal(1.41);
    expect(await overallIn('SUBACCOUNT_FUNDED', { trailing_drawdown_pct: 3.1 })).to.equal(1.41);
  });

  it('reads no second drawdown of an account whose bucket is missing, if it may be a pro account', async () => {
    const drawdown = { ...equities, intraday_drawdown_pct: 1.24, eod_drawdown_pct: 1.41, static_drawdown_pct: 2.5 };

    for (const more of [{ trailing_drawdown_pct: 3.1 }, { criteria: 'static' }])
      expect((await shown({ drawdown: { ...drawdown, ...more } })).drawdown).to.include({
        intraday: 1.24,
        overall: null,
      });
    expect((await shown({ drawdown })).drawdown).to.include({ overall: 1.41 });
  });

  it('reads the criteria of an account before its first evaluation', async () => {
    const young = await shown({ subaccount_info: { ...info, drawdown_criteria: 'static' } });

    expect(young).to.include({ overallRule: 'drawdown.static', drawdown: null });
  });

  it('reads them as fractions where the equities prove it', async () => {
    const { drawdown } = await shown({
      drawdown: {
        ...equities,
        intraday_drawdown_pct: 0.0124,
        eod_drawdown_pct: 0.0141,
        intraday_drawdown_threshold: 5,
      },
    });

    expect(drawdown?.intraday).to.be.closeTo(1.24, 1e-9);
    expect(drawdown?.overall).to.be.closeTo(1.41, 1e-9);
    expect(drawdown?.intradayLimit).to.equal(5);
  });

  it('keeps a small drawdown small', async () => {
    const { drawdown } = await shown({
      drawdown: { current_equity: 0.9995, daily_open_equity: 1, intraday_drawdown_pct: 0.05 },
    });

    expect(drawdown?.intraday).to.equal(0.05);
  });

  it('leaves no residue of arithmetic with doubles, neither the venue’s nor its own', async () => {
    const written = { intraday_drawdown_pct: 5.999999999999995, intraday_drawdown_threshold: 0.07 };
    const fallen = {
      current_equity: 0.94,
      daily_open_equity: 1,
      eod_drawdown_pct: 0.07,
      last_eod_equity: 0.93,
      eod_hwm: 1,
    };
    const { drawdown } = await shown({ drawdown: { ...written, ...fallen } });
    const { drawdown: computed } = await shown({ drawdown: { current_equity: 0.94, daily_open_equity: 1 } });

    expect(drawdown).to.deep.include({ intraday: 6, intradayLimit: 7, overall: 7 });
    expect(computed).to.deep.include({ intraday: 6 });
  });

  it('counts a gain since the open as negative', async () => {
    const { drawdown } = await shown({
      drawdown: { current_equity: 1.01, daily_open_equity: 1, intraday_drawdown_pct: -1 },
    });

    expect(drawdown?.intraday).to.equal(-1);
  });

  it('computes them from the equities where they are missing', async () => {
    const { drawdown } = await shown({ drawdown: equities });

    expect(drawdown?.intraday).to.be.closeTo(1.244, 1e-3);
    expect(drawdown?.overall).to.be.closeTo(1.4085, 1e-4);
  });

  it('reads the limits under their older names', async () => {
    const { drawdown } = await shown({
      drawdown: {
        subaccount_challenge_intraday_drawdown_threshold: 0.05,
        subaccount_challenge_eod_drawdown_threshold: 0.1,
      },
    });

    expect(drawdown).to.include({ intradayLimit: 5, overallLimit: 10, intraday: null });
  });

  it('are absent before the first evaluation', async () => {
    expect((await shown({})).drawdown).to.equal(null);
  });
});

describe('reading an account of the network', () => {
  alone();

  it('reads its money and names', async () => {
    const dashboard = await shown({
      account_size_data: {
        account_size: 100_000,
        total_realized_pnl: -580.41,
        capital_used: 0,
        balance: 98_339.37,
        buying_power: 122_924.21,
        max_return: 1,
      },
      positions: { positions: {}, total_leverage: 0.5 },
    });

    expect(dashboard).to.deep.include({
      syntheticHotkey: HOTKEY,
      atMs: 7,
      totalLeverage: 0.5,
      money: { realizedPnl: -580.41, capitalUsed: 0, balance: 98_339.37, buyingPower: 122_924.21 },
    });
  });

  it('reads the content of a verbose position', async () => {
    const { positions } = await shown({
      positions: {
        positions: [
          {
            position_uuid: UUID,
            trade_pair: ['ETHUSD', 'ETH/USD', 0.003, 0.01, 0.5],
            position_type: 'SHORT',
            net_quantity: -1.5,
            net_value: -3_000,
            orders: [{ order_uuid: UUID, order_type: 'SHORT', quantity: -1.5, src: 0 }],
            unfilled_orders: [{ order_uuid: 'b', take_profit: 1_000 }],
          },
        ],
      },
    });

    expect(positions[0]).to.include({ netQuantity: -1.5, netValue: -3_000 });
    expect(positions[0]?.filledOrders[0]).to.include({ source: 0 });
    expect(positions[0]?.unfilledOrders[0]).to.include({ takeProfit: 1_000 });
  });

  it('requests a wallet in lower case, and reports it absent only when the validator does', async () => {
    const path = `/hl-traders/${WALLET.toLowerCase()}`;
    validator.get(path).reply(200, {
      dashboard: { subaccount_info: { ...info, hl_address: WALLET, payout_address: WALLET }, elimination: null },
    });
    validator.get(path).reply(404, { status: 'error', message: 'No subaccount for this address' });
    validator.get(path).reply(404, '<html>');

    const found = await venue.walletDashboard(WALLET);

    expect(found).to.nested.include({ 'data.exAddress': WALLET.toLowerCase(), 'data.elimination': null });
    expect(await venue.walletDashboard(WALLET)).to.deep.equal({ kind: 'absent' });
    expect(await venue.walletDashboard(WALLET)).to.include({ kind: 'unreadable' });
  });

  for (const address of ['0x12', 'abc', `${WALLET}/limits`, '../entities']) {
    it(`rejects a path as a wallet: “${address}”`, async () => {
      expect(await venue.walletDashboard(address)).to.include({ kind: 'unreadable' });
      expect(await venue.walletLimits(address)).to.include({ kind: 'unreadable' });
    });
  }
});
