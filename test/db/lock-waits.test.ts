import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { databaseIsAway, waitedTooLong } from '../../src/db/conflicts.ts';
import { openPool, WEB_LIMITS } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const CONNECTIONS = 4;

describe('a statement that waits for a lock', function () {
  this.timeout(20_000);

  it('is cancelled by the server before the client gives up: it has no later effect, and the connection is kept', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, CONNECTIONS, () => {}, WEB_LIMITS);
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`insert into partners (id, name) values ('ptn_1', 'before')`);
    await holder.query(`begin; select from partners where id = 'ptn_1' for update`);
    const pids = async () =>
      (
        await holder.query(
          `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' order by 1`,
        )
      ).rows.map(({ pid }) => pid);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => db.query(sql.unsafe`select pg_sleep(0.2)`)));
    const before = await pids();

    const error = await db
      .query(sql.unsafe`update partners set name = 'late' where id = 'ptn_1'`)
      .catch((fault) => fault);
    const after = await pids();
    await holder.query('commit');
    await sleep(500);
    const name = await db.oneFirst(sql.type(z.object({ name: z.string() }))`select p.name from partners p`);
    await db.end();
    await until('its end', async () => (await pids()).length === 0);
    await holder.end();
    await database.drop();

    expect([waitedTooLong(error), databaseIsAway(error)], String(error)).to.deep.equal([true, false]);
    expect(before).to.have.length(CONNECTIONS);
    expect(after).to.deep.equal(before);
    expect(name).to.equal('before');
  });
});
