import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from './pool.ts';

/** Runs reads in one snapshot of the database: they see nothing that is committed meanwhile. */
export const inSnapshot = <Result>(db: Db, read: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(sql.type(z.object({}))`set transaction isolation level repeatable read, read only`);
    return read(tx);
  });
