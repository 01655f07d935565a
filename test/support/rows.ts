import { sql } from 'slonik';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { OwnerId, WalletAddress } from '../../src/kernel/ids.ts';
import { freshDatabase } from './postgres.ts';

/** Two owners and wallets whose rows are alike: only a condition on the owner or wallet distinguishes them. */
export const PARTNER = 'ptn_mine' as OwnerId;
export const OTHER = 'ptn_other' as OwnerId;
export const wallet = (digit: string): WalletAddress => `0x${digit.repeat(40)}` as WalletAddress;
export const MY_WALLET = wallet('a');
export const OTHER_WALLET = wallet('b');
export const MY_SECOND = wallet('c');

/** A separate database, for tests that write rows themselves. */
export type Rows = {
  db: DbPool;
  url: string;
  /** Executes a statement with positional values; resolves to the number of its rows. */
  run(text: string, ...values: string[]): Promise<number>;
  close(): Promise<void>;
};

export async function openRows(): Promise<Rows> {
  const database = await freshDatabase();
  const db = await openPool(database.url, 2, () => {});
  return {
    db,
    url: database.url,
    run: async (text, ...values) => (await db.query({ ...sql.unsafe``, sql: text, values })).rowCount,
    async close() {
      await db.end();
      await database.drop();
    },
  };
}
