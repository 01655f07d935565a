import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from './pool.ts';

/** Reads in one snapshot of the database: nothing that is committed meanwhile is read. */
export const inSnapshot = <Result>(db: Db, read: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(sql.type(z.object({}))`set transaction isolation level repeatable read, read only`);
    return read(tx);
  });
