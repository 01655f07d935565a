import { expect } from 'chai';
import type { Dashboard } from '../../src/venues/network/adapter/types.ts';
import { alone } from '../support/alone.ts';
import { validator, venue } from '../support/validator.ts';

const UUID = '0190a1b2-0000-7000-8000-000000000001';
const LIMIT = '0190a1b2-0000-7000-8000-000000000002';
const shown = (dashboard: object, path = '/v2/entity/subaccount/5Entity_3') =>
  validator.get(path).reply(200, { status: 'success', dashboard, timestamp: 1 });
const info = {
  synthetic_hotkey: '5Entity_3',
  status: 'active',
  asset_class: 'crypto',
  account_size: 10_000,
  created_at_ms: 5,
};

const compact = {
  subaccount_info: { ...info, subaccount_uuid: 'sub-uuid' },
  challenge_period: { bucket: 'SUBACCOUNT_CHALLENGE', start_time_ms: 5 },
  positions: {
    positions: {
      [UUID]: {
        tp: 'BTC/USDC',
        t: 'SHORT',
        o: 10,
        c: 0,
        r: 1.01,
        nl: -0.1,
        nv: -950,
        ap: 100_000,
        rp: 0,
        up: 12.5,
        fo: { [UUID]: { t: 'SHORT', e: 'MARKET', p: 10, l: -0.1, q: -0.01, v: -1000, pr: 100_000 } },
        fh: { 10: { t: 'transaction', a: 0.5 }, 20: { t: 'carry', a: 0.25 } },
      },
    },
  },
  limit_orders: {
    open_orders: {
      [LIMIT]: {
        tp: 'kPEPE/USDC',
        t: 'LONG',
        e: 'STOP_LIMIT',
        p: 11,
        lp: 0.01,
        sp: 0.02,
        cond: 'GTE',
        sl: 0.005,
        tk: 0.03,
        tsl: { pct: 0.1 },
      },
    },
    closed_orders: ['closed-uuid'],
  },
};

const verbose = {
  subaccount_info: { ...info, subaccount_uuid: 'sub-uuid' },
  challenge_period: { bucket: 'SUBACCOUNT_CHALLENGE', start_time_ms: 5 },
  positions: {
    positions: [
      {
        position_uuid: UUID,
        trade_pair: ['BTCUSDC', 'BTC/USDC', 0.003, 0.01, 0.5],
        position_type: 'SHORT',
        open_ms: 10,
        close_ms: 0,
        current_return: 1.01,
        net_leverage: -0.1,
        net_value: -950,
        average_entry_price: 100_000,
        realized_pnl: 0,
        unrealized_pnl: 12.5,
        orders: [
          {
            order_uuid: UUID,
            order_type: 'SHORT',
            execution_type: 'MARKET',
            processed_ms: 10,
            leverage: -0.1,
            quantity: -0.01,
            value: -1000,
            price: 100_000,
          },
        ],
        fh: [{ a: 0.5 }, { a: 0.25 }],
      },
    ],
  },
  limit_orders: {
    open_orders: [
      {
        order_uuid: LIMIT,
        trade_pair: ['kPEPEUSDC', 'kPEPE/USDC'],
        order_type: 'OrderType.LONG',
        execution_type: 'STOP_LIMIT',
        processed_ms: 11,
        price: 0,
        limit_price: 0.01,
        stop_price: 0.02,
        stop_condition: 'GTE',
        stop_loss: 0.005,
        take_profit: 0.03,
        trailing_stop: { trailing_percent: 0.1 },
      },
    ],
    closed_orders: [{ order_uuid: 'closed-uuid' }],
  },
};

const read = async (): Promise<Dashboard> => {
  const response = await venue.dashboard('5Entity_3');
  if (response.kind !== 'found') throw new Error(response.kind);
  return response.data;
};

describe('reading a dashboard of the network', () => {
  alone();

  it('reads the compact spelling', async () => {
    shown(compact);

    const dashboard = await read();

    expect(dashboard).to.deep.include({
      status: 'active',
      subaccountUuid: 'sub-uuid',
      bucket: 'SUBACCOUNT_CHALLENGE',
      elimination: null,
    });
    expect(dashboard.positions[0]).to.deep.include({
      uuid: UUID,
      tradePair: 'BTCUSDC',
      side: 'SHORT',
      closeMs: null,
      netValue: -950,
      unrealizedPnl: 12.5,
      feesTotal: 0.75,
    });
    expect(dashboard.positions[0]?.filledOrders[0]).to.deep.include({ uuid: UUID, quantity: -0.01, price: 100_000 });
    expect(dashboard.openOrders[0]).to.deep.include({
      uuid: LIMIT,
      tradePair: 'kPEPEUSDC',
      price: null,
      stopCondition: 'GTE',
      trailingStop: { trailing_percent: 0.1 },
    });
    expect(dashboard.closedOrders).to.deep.equal(['closed-uuid']);
  });

  it('reads the verbose spelling to the same result', async () => {
    shown(compact);
    shown(verbose);

    const [one, other] = [await read(), await read()];

    // In either spelling, only the orders of a position lack a pair of their own.
    expect(other).to.deep.equal(one);
  });

  it('distinguishes missing sections from empty ones', async () => {
    shown({ subaccount_info: info });
    shown({ subaccount_info: info, positions: { positions: {} }, limit_orders: { open_orders: {} } });

    const [missing, empty] = [await read(), await read()];

    expect(missing).to.deep.include({ positions: [], openOrders: [], bucket: null });
    expect(missing.reported).to.deep.equal({ positions: false, closed: true, orders: false });
    expect(empty.reported).to.deep.equal({ positions: true, closed: true, orders: true });
  });

  it('reads filled orders as a list or a dictionary', async () => {
    const order = { t: 'LONG', e: 'MARKET', q: 1 };
    const listed = { [UUID]: { tp: 'EUR/USD', t: 'LONG', fo: { [UUID]: order } } };
    shown({ subaccount_info: info, positions: { positions: listed } });
    shown({
      subaccount_info: info,
      positions: [{ position_uuid: UUID, tp: 'EURUSD', t: 'LONG', fo: [{ ...order, order_uuid: UUID }] }],
    });

    const [first, second] = [await read(), await read()];

    expect(first.positions).to.deep.equal(second.positions);
    expect(first.positions[0]?.filledOrders[0]).to.include({ uuid: UUID, quantity: 1 });
  });

  const held = compact.positions.positions[UUID];
  for (const [what, positions] of [
    ['without its pair', { positions: { [UUID]: { ...held, tp: null } } }],
    ['closed at a time that cannot be read', { positions: { [UUID]: { ...held, c: '2026-11-21T00:00:00Z' } } }],
    ['open without a side', { positions: { [UUID]: { ...held, t: undefined } } }],
    ['that is no object', { positions: { [UUID]: held, other: null } }],
    ['with an order that is no object', { positions: { [UUID]: { ...held, fo: { ...held.fo, other: null } } } }],
    ['of a section without them', { total_leverage: 0.1, positions_time_ms: 10 }],
  ] as const) {
    it(`does not take a position for absent: one ${what}`, async () => {
      shown({ ...compact, positions });

      expect((await read()).reported).to.deep.equal({ positions: false, closed: true, orders: true });
    });
  }

  it('adds up no fees of which one is unknown', async () => {
    const fh = { ...held.fh, 30: { t: 'interest', a: null } };
    shown({ ...compact, positions: { positions: { [UUID]: { ...held, fh } } } });

    expect((await read()).positions[0]?.feesTotal).to.equal(null);
  });

  it('reads an elimination', async () => {
    shown({
      subaccount_info: { ...info, status: 'eliminated' },
      elimination: { elimination_initiated_time_ms: 9, reason: 'INACTIVE' },
    });

    expect((await read()).elimination).to.deep.equal({ atMs: 9, reason: 'INACTIVE' });
  });

  it('is absent only when the validator itself says so', async () => {
    validator.get('/v2/entity/subaccount/5Entity_3').reply(404, { message: 'Subaccount 5Entity_3 not found' });

    expect(await venue.dashboard('5Entity_3')).to.deep.equal({ kind: 'absent' });
  });

  for (const [what, status, body] of [
    ['a page', 200, '<html>'],
    ['a cut-off body', 200, '{"status":"succ'],
    ['no subaccount in it', 200, { status: 'success', dashboard: {} }],
    ['that of another account', 200, { dashboard: { subaccount_info: { ...info, synthetic_hotkey: '5Entity_33' } } }],
    ['a rejected key', 403, { error: 'tier' }],
    ['404 of a proxy', 404, '<html>nothing here</html>'],
    ['404 of a route that is not there', 404, { error: 'Resource not found' }],
    ['404 of a gateway without this route', 404, { message: 'no Route matched with those values' }],
    ['404 of a gateway whose miner is not there', 404, { error: 'app not found', message: 'no such host: miner' }],
    ['404 of data that is not there yet', 404, { status: 'error', message: 'Trader data not available' }],
    ['404 without a word', 404, {}],
    ['an error of the validator', 500, { error: 'x' }],
  ] as const) {
    it(`is unreadable, never empty: ${what}`, async () => {
      validator.get('/v2/entity/subaccount/5Entity_3').reply(status, body);

      expect(await venue.dashboard('5Entity_3')).to.include({ kind: 'unreadable' });
    });
  }
});
