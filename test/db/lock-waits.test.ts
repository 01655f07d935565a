import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { databaseIsAway, waitedTooLong } from '../../src/db/conflicts.ts';
import { openPool, WEB_LIMITS } from '../../src/db/pool.ts';
import { orderIdOf } from '../../src/kernel/ids.ts';
import { market } from '../support/orders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { startService } from '../support/service.ts';

const CONNECTIONS = 4;
const ORDERS = '/v1/orders/netvenue';
const HELD_MS = 6_500; // longer than a statement of the queue may take
const PROMPT_MS = 2_000;

/** The connections to a database, as they are now: within a transaction the view stays as it was. */
async function pidsOf(database: Client): Promise<number[]> {
  const { rows } = await database.query(
    `select pg_stat_clear_snapshot(), array(
       select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' order by 1
     ) as pids`,
  );
  return rows[0].pids;
}

const stayed = (before: number[], after: number[]) => before.filter((pid) => after.includes(pid));

/** A pool on a database in which another session holds a partner's row. */
async function heldPartner() {
  const database = await freshDatabase();
  const db = await openPool(database.url, CONNECTIONS, () => {}, WEB_LIMITS);
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query(`insert into partners (id, name) values ('ptn_1', 'before')`);
  await holder.query(`begin; select from partners where id = 'ptn_1' for update`);
  return { database, db, holder };
}

describe('a statement that waits for a lock', function () {
  this.timeout(30_000);

  it('is given up by the server before its connection would be: nothing of it is done later, and no idle connection is lost', async () => {
    const { database, db, holder } = await heldPartner();
    const pids = () => pidsOf(holder);
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
    expect(stayed(before, after)).to.have.length(CONNECTIONS - 1); // without its own, which the pool closes after any error
    expect(name).to.equal('before');
  });

  it('takes no idle connection with it, either, where its caller had waited for a slot before', async () => {
    const { database, db, holder } = await heldPartner();

    const busy = Array.from({ length: CONNECTIONS }, () => db.query(sql.unsafe`select pg_sleep(1.8)`));
    const waiting = db.query(sql.unsafe`update partners set name = 'late' where id = 'ptn_1'`).catch(() => 'given up');
    await Promise.all(busy);
    const before = await pidsOf(holder);
    const given = await waiting;
    await sleep(500); // those that are closed have gone
    const after = await pidsOf(holder);
    await holder.query('commit');
    await db.end();
    await holder.end();
    await database.drop();

    expect(given).to.equal('given up');
    expect(before).to.have.length(CONNECTIONS);
    expect(stayed(before, after)).to.have.length(CONNECTIONS - 1);
  });

  it('of the queue, which records that a job has ended, keeps nobody else waiting, and its runner goes on', async () => {
    const service = await startService();
    const [first, other] = [await service.trader(), await service.trader()];
    const order_uuid = crypto.randomUUID();
    const held = orderIdOf(first.owner as never, order_uuid); // as: an id of a partner
    const holder = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await holder.connect();
    await holder.query(`
      create function wait_for_holder() returns trigger language plpgsql security definer as $$
      begin
        perform pg_advisory_xact_lock(7) where old.payload ->> 'intent_id' = '${held}';
        return old;
      end $$`);
    await holder.query(`
      do $$ begin
        execute format('create trigger wait_for_holder before delete on %s for each row execute function wait_for_holder()', (
          select c.oid::regclass
          from pg_class c
          where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relname like '%jobs'
        ));
      end $$`);
    await holder.query('begin; select pg_advisory_xact_lock(7)');
    const jobs = async () =>
      (await holder.query(`select from queue_jobs j where j.payload ->> 'intent_id' = $1`, [held])).rowCount;

    await first.post(ORDERS, market({ order_uuid }));
    const took: number[] = [];
    for (const since = performance.now(); performance.now() - since < HELD_MS; await sleep(100)) {
      const startedAt = performance.now();
      expect((await other.post(ORDERS, market({ leverage: 0.001 }))).status).to.equal(200);
      took.push(performance.now() - startedAt);
    }
    const whileHeld = await jobs();
    await holder.query('commit');
    await until('the end of its job', async () => (await jobs()) === 0);
    const warned = service.log.lines.filter((line) => /runner/i.test(String(line.msg)));
    await holder.end();
    await service.stop();

    expect(whileHeld).to.equal(1);
    expect(Math.max(...took)).to.be.below(PROMPT_MS);
    expect(warned).to.deep.equal([]);
  });
});
