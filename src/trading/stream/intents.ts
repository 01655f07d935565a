import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const LEASE_S = 60; // four heartbeats: a web process that died is not listened for much longer
const STALE_S = 120; // nobody has looked for longer than the slowest plan: the chain of looks is broken

/** Says that someone listens to these accounts, for the next minute: their positions are looked at. */
export async function listenToAccounts(db: Db, accounts: string[]): Promise<void> {
  await db.query(sql.prepared('listen_to_accounts', z.object({}))`
    select listen_to_accounts(${sql.array(accounts, 'text')}, ${LEASE_S}, ${STALE_S})`);
}
