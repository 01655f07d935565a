import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { EventLogs } from '../../streams/logs.ts';
import { accountLogReads } from './queries.ts';

const LEASE_S = 60; // 4 heartbeats: after a web process dies, its accounts are not read for much longer
const STALE_S = 120; // longer than the slowest plan; without a reading for this long, the chain of readings is broken

/** Records that these accounts have listeners for the next 60 s, so that their positions are read. */
async function listenToAccounts(db: Db, accounts: string[]): Promise<void> {
  await db.query(sql.prepared('listen_to_accounts', z.object({}))`
    select listen_to_accounts(${sql.array(accounts, 'text')}, ${LEASE_S}, ${STALE_S})`);
}

/** The event logs of prop accounts. */
export const accountLogs = (db: Db): EventLogs => ({
  ...accountLogReads(db),
  listen: (accounts) => listenToAccounts(db, accounts),
});
