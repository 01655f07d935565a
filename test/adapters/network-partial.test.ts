import { expect } from 'chai';
import { ordersResponse } from '../../src/venues/network/adapter/books.ts';
import { dashboardResponse } from '../../src/venues/network/adapter/dashboard.ts';
import { limitsResponse } from '../../src/venues/network/adapter/limits.ts';
import { attemptsBehind, readOrder, submitResponse } from '../../src/venues/network/adapter/orders.ts';
import { turnsDuring } from '../support/turns.ts';

const UUID = '0190a1b2-0000-7000-8000-00000000000a';
const reply = (body: object, status = 200) => ({
  ...{ kind: 'response' as const, status, headers: {} },
  text: JSON.stringify(body),
});
const held = { tp: 'BTC/USDC', t: 'LONG', o: 1, nl: 0.1, ap: 100 };
const shown = (sections: object) => {
  const dashboard = { subaccount_info: { status: 'active' }, ...sections };
  const read = dashboardResponse(reply({ dashboard }), ['synthetic_hotkey', '5Entity_3']);
  if (read.kind !== 'found') throw new Error(read.kind);
  return read.data;
};
const position = (members: object) => shown({ positions: { positions: { [UUID]: { ...held, ...members } } } });

describe('what the network leaves out of a response', () => {
  it('is no fee, order or type of a position, which is shown all the same', () => {
    expect(position({}).reported.positions).to.equal(true);
    expect(position({}).positions[0]).to.deep.include({ filledOrders: [], feesTotal: null, closeMs: null });
    expect(position({ fh: {} }).positions[0]).to.include({ feesTotal: 0 });
    expect(position({ t: undefined, c: 9 }).positions[0]).to.include({ side: 'FLAT', closeMs: 9 });
  });

  it('hides no position that is open, if what cannot be read was closed', () => {
    for (const odd of [{ tp: null }, { fo: { other: null } }]) {
      const { positions, reported } = position({ ...odd, c: 9 });
      expect([positions, reported]).to.deep.equal([[], { positions: true, closed: false, orders: false }]);
      expect(position({ ...odd, c: 0 }).reported).to.include({ positions: false, closed: true });
    }
  });

  it('is not shown as 0: an open position has a price and a value, and none was closed before 1970', () => {
    expect(position({ ap: 0, nv: 0 }).positions[0]).to.include({ averageEntryPrice: null, netValue: null });
    expect(position({ c: -1 }).reported).to.include({ positions: false });
    expect(position({ c: 1.8e18 }).reported).to.include({ positions: true, closed: false });
  });

  it('is no limit of 0, which every account has reached', () => {
    const limits = { intraday_drawdown_threshold: 0, eod_drawdown_threshold: -0.05 };

    expect(shown({ drawdown: limits }).drawdown).to.include({ intradayLimit: null, overallLimit: null });
  });

  it('are no resting orders in a section that lists only those that ended', () => {
    const { openOrders, reported } = shown({ limit_orders: { closed_orders: [UUID], limit_orders_time_ms: 1 } });

    expect([openOrders, reported.orders]).to.deep.equal([[], true]);
    expect(shown({ limit_orders: { open_orders: { [UUID]: null } } }).reported.orders).to.equal(false);
  });

  it('is no state of orders that was asked for: then the list is no proof', async () => {
    const all = { unfilled: [], filled: [], cancelled: [] };

    expect(await ordersResponse(reply(all))).to.include({ kind: 'found' });
    for (const state of Object.keys(all))
      expect(await ordersResponse(reply({ ...all, [state]: undefined })), state).to.include({ kind: 'unreadable' });
  });

  it('is read in parts where a trader has many orders, between which the process does other work', async () => {
    const orders = Array.from({ length: 1_000 }, (_, n) => ({ order_uuid: `${n}` }));

    const read = () => ordersResponse(reply({ unfilled: [], filled: orders, cancelled: orders }));
    const { result, turns } = await turnsDuring(read);

    expect(result).to.have.nested.property('data.filled.length', 1_000);
    expect(turns).to.be.at.least(5);
  });

  it('is no elimination, which is final: an object says nothing that has neither a time nor a reason', () => {
    expect(shown({ elimination: {} }).elimination).to.equal(null);
    expect(shown({ elimination: { reason: 'INACTIVE' } }).elimination).to.deep.equal({
      atMs: null,
      reason: 'INACTIVE',
    });
  });

  it('is a number where it writes one that no account has', () => {
    const drawdown = { current_equity: 0.9, daily_open_equity: 5e-324, intraday_drawdown_threshold: 0.05 };

    const read = shown({ account_size_data: { account_size: 0, balance: 1e300 }, drawdown });

    expect([read.accountSize, read.money?.balance, read.drawdown?.intraday]).to.deep.equal([null, null, null]);
    expect(read.drawdown).to.include({ intradayLimit: 5 });
  });

  it('is no cap of a class: one without numbers has none', () => {
    const limits = limitsResponse(reply({ max_portfolio_usd: 5, max_asset_class_usd: { crypto: null } }));

    expect(limits).to.have.nested.property('data.classUsd', null);
  });

  it('is the time of an older build’s attempts: a quick response alone proves a single one', () => {
    const older = { validators_processed: 1, processing_time: 1 };

    expect([attemptsBehind(older, 1), attemptsBehind(older, 6_000)]).to.deep.equal(['one', 'several']);
    expect([attemptsBehind({}, 1), attemptsBehind({}, 6_000)]).to.deep.equal(['one', 'several']);
    expect(attemptsBehind({ processing_time: 5 }, 1)).to.equal('several');
  });
});

describe('what the network writes in another way', () => {
  it('is the same order if only the case of its uuid differs', () => {
    const response = (order_uuid: string) =>
      submitResponse(reply({ success: true, order_uuid }), { order_uuid: UUID, execution_type: 'LIMIT' }, 1);

    expect(response(UUID.toUpperCase())).to.include({ kind: 'accepted' });
    expect(response(UUID.replace('a', 'b'))).to.not.include({ kind: 'accepted' });
  });

  it('are the exits of an order as its only entry, and of several none is that of the order', () => {
    const stopOf = (...stops: number[]) =>
      readOrder({ t: 'LONG', bracket_orders: stops.map((stop_loss) => ({ stop_loss })) }, UUID)?.stopLoss;

    expect([stopOf(90), stopOf(90, 80)]).to.deep.equal([90, null]);
  });
});
