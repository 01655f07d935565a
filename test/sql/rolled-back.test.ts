import { expect } from 'chai';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('a release of the version before', () => {
  /** A database that a later version has migrated, and what a release of this one does to it. */
  async function rolledBack(options: { isAlone?: boolean }, ...later: string[]) {
    const database = await freshDatabase();
    const client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    await client.query(`
      insert into migrations (name, run_on, sha256) values ('9000_later', now(), repeat('1', 64));
      create table of_later (id integer);
      create function later() returns integer language sql as 'select 1';
      insert into definitions (name, kind, sha256) values ('later', 'function', repeat('1', 64))`);
    for (const statement of later) await client.query(statement);
    const before = await everythingIn(client);

    const error = await migrate(database.url, () => {}, { version: '1', ...options }).catch((thrown) => thrown);

    const isUnchanged = JSON.stringify(await everythingIn(client)) === JSON.stringify(before);
    await client.end();
    await database.drop();
    return { error: error?.message ?? null, isUnchanged };
  }

  it('leaves what a later version has migrated as it is, so that a platform which runs a release to roll back can', async () => {
    expect(await rolledBack({})).to.deep.equal({ error: null, isUnchanged: true });
  });

  it('is rejected by name where that version has taken away what it calls, and on a machine where only one version runs', async () => {
    const lacking = await rolledBack({}, 'drop function retry_intent');
    const alone = await rolledBack({ isAlone: true });

    expect(lacking.error).to.match(/does not serve this one any more\. It lacks: function retry_intent/);
    expect(alone.error).to.match(/changed or removed since: 9000_later\./);
    expect([lacking.isUnchanged, alone.isUnchanged]).to.deep.equal([true, true]);
  });
});

/** Every relation and function, and the applied migrations and definitions. */
async function everythingIn(client: Client): Promise<unknown> {
  const { rows } = await client.query(`
    select c.oid::text || c.relname as what from pg_class c where c.relnamespace = 'public'::regnamespace
    union all
    select p.oid::text || p.proname from pg_proc p where p.pronamespace::regnamespace::text in ('public', 'ops')
    union all
    select name || sha256 from migrations
    union all
    select name || sha256 from definitions
    order by 1`);
  return rows;
}
