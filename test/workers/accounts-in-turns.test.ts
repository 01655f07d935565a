import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type SyncDeps, syncAccount } from '../../src/capabilities/accounts/prop/sync.ts';
import { type WatchDeps, watchAccount } from '../../src/capabilities/trading/watch/watch.ts';
import { type DbPool, openPool, WORKER_LIMITS } from '../../src/db/pool.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import type { Hotkey, PropAccountId } from '../../src/kernel/ids.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const MANY = 20;
const READ_MS = 100;

describe('an account of one app beside many of another, while the network is slow', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 20, () => {}, WORKER_LIMITS);
    await intentDb.query(`
      set session_replication_role = replica;
      insert into subaccounts (synthetic_hotkey, intent_id, entity_hotkey, subaccount_id, owner, asset_class, account_size, status)
      select 'e_' || n, gen_random_uuid(), 'e', n, 'app', 'crypto', 1000, 'active' from generate_series(0, ${MANY}) n;
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
      select 'prop_' || n, case n when 0 then 'app_other' else 'app_crowd' end, 'usr_' || n, 'tier', 'crypto', 'crypto', 1000, 'evaluation', 'e_' || n
      from generate_series(0, ${MANY}) n`);
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  /** Runs a task for many accounts of one app, and then for the one of the other. Returns how many were read by then. */
  async function readBefore(task: (account: PropAccountId) => Promise<void>, read: Hotkey[]): Promise<number> {
    const run = (n: number) => workingOn({}, () => task(`prop_${n}` as PropAccountId)); // as: its prefix
    const crowd = Promise.all(Array.from({ length: MANY }, (_, n) => run(n + 1)));
    await until('the first readings', () => read.length > 1);
    const before = read.length;
    await run(0);
    const after = read.length - before;
    await crowd;
    return after;
  }

  const turnsOf = () => atOnce(2, { longestMs: 10_000, mostWaiting: MANY });
  const readerInto = (read: Hotkey[]) => async (trader: Hotkey) => {
    read.push(trader);
    await sleep(READ_MS);
    return { kind: 'unreadable' as const, why: 'slow' };
  };

  it('is synced in the turn of its app', async () => {
    const read: Hotkey[] = [];
    const deps = {
      db,
      syncing: turnsOf(),
      venues: { netvenue: { dashboard: readerInto(read) } },
    } as unknown as SyncDeps; // as: what it reads

    expect(await readBefore((account) => syncAccount(account, deps), read)).to.be.below(MANY / 2);
  });

  it('is watched in the turn of its app', async () => {
    const read: Hotkey[] = [];
    const reads = { dashboardNow: readerInto(read), dashboard: readerInto([]), networkOrders: readerInto([]) };
    const deps = { db, watching: turnsOf(), reads, config: { TRADING_WATCH_MS: 60_000 } } as unknown as WatchDeps; // as: what it reads

    expect(await readBefore((account) => watchAccount(account, deps), read)).to.be.below(MANY / 2);
  });
});
