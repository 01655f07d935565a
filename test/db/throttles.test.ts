import { expect } from 'chai';
import { sql } from 'slonik';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { throttle } from '../../src/db/throttles.ts';
import { budgetOf, type LimitName } from '../../src/kernel/throttles.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('a throttle', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DbPool;
  before(async () => {
    database = await freshDatabase();
    db = await openPool(database.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  for (const name of ['server', 'login'] satisfies LimitName[])
    it(`of ${name} admits attempts again where the clock of the server was set back by hours`, async () => {
      const spend = async () => (await throttle(db, 1).spend([{ ...budgetOf(name, 'one'), size: 1 }]))[0]?.remaining;
      const before = [await spend(), await spend()];

      await db.query(sql.unsafe`
        update throttles set ends_at = ends_at + interval '3 hours', forget_at = forget_at + interval '3 hours'`);
      const after = [await spend(), await spend()];

      expect({ before, after }).to.deep.equal({ before: [0, -1], after: [0, -1] });
    });
});
