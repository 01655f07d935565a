import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { openPool } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/postgres.ts';

const count = z.object({ n: z.number() });

describe('what PostgreSQL undid because of others', () => {
  for (const [state, what] of [
    ['40001', 'a serialization failure'],
    ['40P01', 'a deadlock'],
  ])
    it(`is done again: ${what}, of a statement and of a transaction`, async () => {
      const database = await freshDatabase();
      const db = await openPool(database.url, 2, () => {});
      await db.query(sql.unsafe`create sequence attempts`);
      await db.query(sql.unsafe`create table done (n bigint)`);
      await db.query(sql.unsafe`
        create function undone_twice() returns bigint language plpgsql as ${sql.literalValue(`
          declare n bigint := nextval('attempts');
          begin
            insert into done values (n);
            if n % 3 > 0 then raise exception 'undone' using errcode = '${state}'; end if;
            return n;
          end`)}`);

      const statement = await db.oneFirst(sql.type(count)`select undone_twice() as n`);
      const transaction = await db.transaction((tx) => tx.oneFirst(sql.type(count)`select undone_twice() as n`));
      const rows = await db.anyFirst(sql.type(count)`select n from done order by n`);
      await db.end();
      await database.drop();

      expect([statement, transaction]).to.deep.equal([3, 6]);
      expect(rows).to.deep.equal([3, 6]);
    });
});
