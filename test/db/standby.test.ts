import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { databaseIsAway, databaseRejected } from '../../src/db/conflicts.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { openReplicated, type Replicated } from '../support/replicated.ts';

const WRITES = [
  `insert into partners (id, name) values ('a', 'a')`,
  `update intents set state = state`,
  `select from intents for no key update`,
  `select nextval(pg_get_serial_sequence('worker_processes', 'lock_key'))`,
  `select pg_notify('settled', '')`,
  `select pg_logical_emit_message(true, 'ready', '')`,
  `select txid_current()`,
  `lock table intents in share row exclusive mode`,
  `create temp table t (n integer)`,
  'listen settled',
];

/** What a host of the database responds that is no primary any more, while its address still leads to it. */
describe('a write that meets a standby', () => {
  let replicated: Replicated;
  let db: DbPool;
  before(async function () {
    this.timeout(60_000);
    replicated = await openReplicated();
    db = await openPool(replicated.standbyUrl, 1, () => {});
  });
  after(async () => {
    await db.end();
    await replicated.drop();
  });
  const faultOf = (text: string) =>
    db.query({ ...sql.unsafe``, sql: text }).then(
      () => 'none',
      (error: unknown) => error,
    );

  for (const write of WRITES)
    it(`counts as rejected by a database that is away: ${write}`, async () => {
      const fault = await faultOf(write);

      expect([databaseIsAway(fault), databaseRejected(fault)], String(fault)).to.deep.equal([true, true]);
    });

  it('counts so in each table that only the primary can read', async () => {
    const unlogged = await db.anyFirst(
      sql.type(
        z.object({ name: z.string() }),
      )`select oid::regclass::text as name from pg_class where relpersistence = 'u' and relkind = 'r'`,
    );
    const faults = [];
    for (const table of unlogged) faults.push(await faultOf(`select from ${table}`));

    expect(unlogged).to.include('paces');
    expect(faults.filter((fault) => !databaseIsAway(fault) || !databaseRejected(fault))).to.deep.equal([]);
  });

  it('does not count so if it is wrong', async () => {
    const fault = await faultOf('select from no_such_table');

    expect([databaseIsAway(fault), databaseRejected(fault)]).to.deep.equal([false, false]);
  });
});
