import { type DbPool, openPool, WORKER_LIMITS } from '../../src/db/pool.ts';
import type { PropAccountId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from './intent-database.ts';

/** A prop account in its challenge, with the subaccount `e_1`. */
export const ACCOUNT = 'prop_1' as PropAccountId; // as: its prefix

/** A database with that account, and the pool of a worker. */
export type WatchedAccount = { intentDb: IntentDatabase; db: DbPool; close(): Promise<void> };

/** Opens a new database with that account. */
export async function openWatchedAccount(): Promise<WatchedAccount> {
  const intentDb = await openIntentDatabase();
  const db = await openPool(intentDb.url, 4, () => {}, WORKER_LIMITS);
  await intentDb.query(`
    set session_replication_role = replica;
    insert into subaccounts (synthetic_hotkey, intent_id, entity_hotkey, subaccount_id, owner, asset_class, account_size, status)
    values ('e_1', gen_random_uuid(), 'e', 1, 'app', 'crypto', 1000, 'active');
    insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
    values ('${ACCOUNT}', 'app', 'usr', 'tier', 'crypto', 'crypto', 1000, 'evaluation', 'e_1')`);
  return {
    intentDb,
    db,
    async close() {
      await db.end();
      await intentDb.close();
    },
  };
}
