import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { openPool } from '../../src/db/pool.ts';
import { effectsOf, market } from '../support/orders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { startService } from '../support/service.ts';

const count = z.object({ n: z.number() });
const name = z.object({ name: z.string() });

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

  it('is done again by the queue too: that jobs have ended is recorded, and their runner goes on', async function () {
    this.timeout(60_000);
    const service = await startService();
    const trader = await service.trader();
    await service.db.query(sql.unsafe`create sequence deletions`);
    await service.db.query(sql.unsafe`
      create function lose_two() returns trigger language plpgsql security definer as ${sql.literalValue(`
        begin
          if nextval('deletions') <= 2 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
          return old;
        end`)}`);
    const table = await service.db.oneFirst(sql.type(name)`
      select c.relname as name
      from pg_class c
      where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relname like '%jobs'`);
    await service.db.query(sql.unsafe`
      create trigger lose_two before delete on ${sql.identifier(['graphile_worker', table])}
      for each row execute function lose_two()`);

    await trader.post('/v1/orders/netvenue', market());
    await until(
      'the jobs to be deleted',
      async () =>
        (await service.db.oneFirst(sql.type(count)`select last_value::integer as n from deletions`)) > 2 || null,
      20_000,
    );
    const warned = service.log.lines.filter((line) => /runner/i.test(String(line.msg)));
    await service.stop();

    expect(effectsOf(service, trader)).to.have.length(1);
    expect(warned).to.deep.equal([]);
  });
});
