import { expect } from 'chai';
import { type WatchDeps, watchAccount } from '../../src/capabilities/trading/watch/watch.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import { found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import { dashboardResponse } from '../../src/venues/network/adapter/dashboard.ts';
import type { OrderBook } from '../../src/venues/network/adapter/types.ts';
import { ACCOUNT, openWatchedAccount, type WatchedAccount } from '../support/watched-account.ts';

const filled = { t: 'LONG', e: 'MARKET', p: 1, q: 1, v: 100, pr: 100 };
const position = { tp: 'BTCUSDC', t: 'LONG', o: 1, ap: 100, up: 0, rp: 0, r: 1, nl: 0.1, nv: 100, fo: { p: filled } };
const stop = { tp: 'BTCUSDC', t: 'LONG', e: 'BRACKET', sl: 90, q: 1 };

describe('an account whose position is watched', () => {
  let intentDb: WatchedAccount['intentDb'];
  let db: WatchedAccount['db'];
  let close: WatchedAccount['close'];
  before(async () => {
    ({ intentDb, db, close } = await openWatchedAccount());
  });
  after(() => close());
  beforeEach(() => intentDb.query('truncate account_watches, account_events'));

  /** One reading of the account, with these orders in the dashboard, and this book. Returns the stop-losses of new events. */
  async function read(orders: object | null, book: ReadResult<OrderBook>) {
    const asked = ['synthetic_hotkey', 'e_1'] as const;
    const dashboard = {
      subaccount_info: { status: 'active', synthetic_hotkey: 'e_1', account_size: 1_000 },
      account_size_data: { balance: 1_000 },
      positions: { positions: { p: position } },
      ...(orders && { limit_orders: { open_orders: orders } }),
    };
    const text = JSON.stringify({ status: 'success', timestamp: 2, dashboard });
    const shown = async () => dashboardResponse({ kind: 'response', status: 200, headers: {}, text }, asked);
    const reads = { dashboardNow: shown, dashboard: shown, networkOrders: async () => book };
    const deps = { db, watching: atOnce(1), reads, config: { TRADING_WATCH_MS: 60_000 } } as WatchDeps;
    await intentDb.query('truncate account_events');
    await watchAccount(ACCOUNT, deps);
    const events = await intentDb.query<{ stop_loss: string | null }>(`
      select e.data #>> '{position,stop_loss}' as stop_loss from account_events e order by e.position`);
    return events.map(({ stop_loss }) => stop_loss);
  }

  it('is not reported as unprotected if the network shows no orders and the book cannot be read', async () => {
    const away = unreadable('status 500');

    expect(await read({ b: stop }, away)).to.deep.equal(['90']);
    expect(await read(null, away)).to.deep.equal([]);
    expect(await read({ b: stop }, away)).to.deep.equal([]);
  });

  it('is reported as unprotected if the book shows no exits', async () => {
    await read({ b: stop }, { kind: 'absent' });

    expect(await read(null, found({ unfilled: [], filled: [], cancelled: [] }))).to.deep.equal([null]);
  });
});
