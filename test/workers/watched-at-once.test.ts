import { expect } from 'chai';
import { type WatchDeps, watchAccount } from '../../src/capabilities/trading/watch/watch.ts';
import { type DbPool, openPool, WORKER_LIMITS } from '../../src/db/pool.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import type { PropAccountId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const ACCOUNT = 'prop_1' as PropAccountId; // as: its prefix
const UNREADABLE = { kind: 'unreadable' as const, why: 'slow' };

/** Every order that ends plans a reading at once, also while another is under way. */
describe('a reading of a watched account, beside another one', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 4, () => {}, WORKER_LIMITS);
    await intentDb.query(`
      set session_replication_role = replica;
      insert into subaccounts (synthetic_hotkey, intent_id, entity_hotkey, subaccount_id, owner, asset_class, account_size, status)
      values ('e_1', gen_random_uuid(), 'e', 1, 'app', 'crypto', 1000, 'active');
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
      values ('${ACCOUNT}', 'app', 'usr', 'tier', 'crypto', 'crypto', 1000, 'evaluation', 'e_1');
      insert into account_watches (prop_account_id, listened_until) values ('${ACCOUNT}', now() + interval '1 hour')`);
  });
  beforeEach(() => intentDb.query('delete from queue_jobs'));
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  /** Reads the account, while `meanwhile` happens. */
  const read = (meanwhile: () => Promise<unknown>) => {
    const dashboardNow = async () => {
      await meanwhile();
      return UNREADABLE;
    };
    const watching = atOnce(2, { longestMs: 10_000, mostWaiting: 2 });
    const deps = { db, watching, reads: { dashboardNow }, config: { TRADING_WATCH_MS: 60_000 } };
    return watchAccount(ACCOUNT, deps as unknown as WatchDeps); // as: what it reads
  };
  const planned = () =>
    intentDb.query(`select run_at <= now() as is_due from queue_jobs where key = 'trading/watch:${ACCOUNT}'`);

  it('plans the next one for later', async () => {
    await read(async () => {});

    expect(await planned()).to.deep.equal([{ is_due: false }]);
  });

  it('puts off none that was planned while it read', async () => {
    await read(() => intentDb.query('select plan_watch($1, 0)', [ACCOUNT]));

    expect(await planned()).to.deep.equal([{ is_due: true }]);
  });

  it('is repeated at once, if the other one was recorded first: that may have read earlier', async () => {
    await read(() => read(async () => {}));

    expect(await planned()).to.deep.equal([{ is_due: true }]);
  });
});
