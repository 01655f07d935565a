import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import { found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import { dashboardResponse } from '../../src/venues/network/adapter/dashboard.ts';
import { readOrder } from '../../src/venues/network/adapter/orders.ts';
import type { Dashboard, DashboardOrder, OrderBook } from '../../src/venues/network/adapter/types.ts';
import { openPositions } from '../../src/venues/network/portfolio/read-model.ts';

const filled = { t: 'LONG', e: 'MARKET', p: 1, q: 1, v: 100, pr: 100 };
const position = { tp: 'BTCUSDC', t: 'LONG', o: 1, ap: 100, up: 0, rp: 0, r: 1, nl: 0.1, nv: 100, fo: { p: filled } };
const stop = { tp: 'BTCUSDC', t: 'LONG', e: 'BRACKET', sl: 90, q: 1 };
const info = { status: 'active', synthetic_hotkey: '5E_1', account_size: 1_000 };

const shown = (sections: object): Dashboard => {
  const dashboard = { subaccount_info: info, account_size_data: { balance: 1_000 }, ...sections };
  const text = JSON.stringify({ status: 'success', timestamp: 2, dashboard });
  const read = dashboardResponse({ kind: 'response', status: 200, headers: {}, text }, [
    'synthetic_hotkey',
    info.synthetic_hotkey,
  ]);
  if (read.kind !== 'found') throw new Error(JSON.stringify(read));
  return read.data;
};

describe('the exits of an open position of the network', () => {
  const open = { positions: { positions: { p: position } } };
  const book = (...unfilled: (DashboardOrder | null)[]): ReadResult<OrderBook> =>
    found({ unfilled: unfilled.filter((order) => order !== null), filled: [], cancelled: [] });
  const stopOf = async (sections: object, read: ReadResult<OrderBook>) =>
    (await openPositions(shown({ ...open, ...sections }), async () => read)).map(({ stop_loss }) => stop_loss);

  for (const [what, sections] of [
    ['the section of orders is missing, as after a fault', {}],
    ['an order in it cannot be read', { limit_orders: { open_orders: { b: null } } }],
  ] as const) {
    it(`are those of the book where ${what}`, async () => {
      expect(await stopOf(sections, book(readOrder(stop, 'b')))).to.deep.equal(['90']);
      expect(await stopOf(sections, book())).to.deep.equal([null]);
      expect(await stopOf(sections, { kind: 'absent' })).to.deep.equal([null]);
    });

    it(`are not reported as missing where ${what} and the book cannot be read either`, async () => {
      const error = await stopOf(sections, unreadable('status 500')).catch((thrown: unknown) => thrown);

      expect(error).to.be.instanceOf(ApiError).with.property('code', 'VENUE_UNREADABLE');
    });
  }

  it('are those of the dashboard where it shows them; no book is read', async () => {
    const sections = { limit_orders: { open_orders: { b: stop } } };

    expect(await stopOf(sections, unreadable('not asked'))).to.deep.equal(['90']);
    expect(
      await openPositions(shown({ positions: { positions: {} } }), () => Promise.reject(new Error('read'))),
    ).to.deep.equal([]);
  });
});
