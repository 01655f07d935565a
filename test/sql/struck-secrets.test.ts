import { glob } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { loadMigrations, MIGRATION_FILES } from '../../src/db/migrations.ts';
import { everythingIn } from '../support/canary.ts';
import { AS_OF, ONE_OF_EACH } from '../support/one-of-each.ts';
import { freshDatabase } from '../support/postgres.ts';

const PLAIN = 'plain-secret';

/** What an earlier version left behind: secrets in plain text, and sizes of an order that only rests kept as executed. */
const AS_IT_WAS = `
  update payments
  set client_secret = '${PLAIN}', processor_payment_intent_id = 'pi_1', status = 'requires_payment_method';
  insert into intents (id, kind, owner, state, asked, outcome, digest, deadline_at, settled_at)
  values
    (gen_random_uuid(), 'kyc/session', 'app_1', 'succeeded', '{}',
      '{"result": {"session_id": "vs_1", "url": "https://a/${PLAIN}", "client_secret": "${PLAIN}"}}', '\\x01', now(), now()),
    (gen_random_uuid(), 'payouts/link', 'app_1', 'succeeded', '{}',
      '{"result": {"onboarding_url": "https://a/${PLAIN}"}}', '\\x01', now(), now());
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
  values
    (gen_random_uuid(), 'netvenue', 'ptn_1', 'e_1', 'ETHUSDC', 'rests', '{}', 'resting', '{"quantity": 1, "price": null}'),
    (gen_random_uuid(), 'netvenue', 'ptn_1', 'e_1', 'ETHUSDC', 'filled', '{}', 'filled', '{"quantity": 1, "price": 2}');`;

describe('what an earlier version kept in plain text', () => {
  let server: Awaited<ReturnType<typeof freshDatabase>>;
  let maker: Client;
  let client: Client;
  let url: string;
  before(async () => {
    server = await freshDatabase();
    maker = await connect(server.url);
    const name = `struck_${process.pid}`;
    url = server.url.replace(/[^/]+$/, name);
    await maker.query(`create database ${name}`);
    client = await connect(url);
    await runMigrations({ connectionString: url });
    const names = await Array.fromAsync(glob(MIGRATION_FILES));
    await runner({
      databaseUrl: url,
      dir: MIGRATION_FILES,
      useGlob: true,
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
      direction: 'up',
      migrationsTable: 'migrations',
      count: names.filter((file) => path.basename(file, '.sql') <= AS_OF).length,
      log: () => {},
    });
    await client.query(ONE_OF_EACH);
    await client.query(AS_IT_WAS);
    await migrate(url);
  });
  after(async () => {
    await client.end();
    await maker.query(`drop database struck_${process.pid} with (force)`);
    await maker.end();
    await server.drop();
  });

  it('is struck out, and an open payment is looked at for its secret', async () => {
    const held = await everythingIn(url);
    const { rows } = await client.query(`
      select j.payload
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'payments/look'`);

    expect(held.filter(({ text }) => text.includes(PLAIN)).map(({ where }) => where)).to.deep.equal([]);
    expect(rows).to.deep.equal([{ payload: { payment_id: 'pay_1' } }]);
  });

  it('leaves as executed only what was', async () => {
    const { rows } = await client.query(`
      select o.handle, o.executed is not null as executed
      from orders o
      where o.pair = 'ETHUSDC'
      order by o.handle`);

    expect(rows).to.deep.equal([
      { handle: 'filled', executed: true },
      { handle: 'rests', executed: false },
    ]);
  });
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, ssl: false });
  await client.connect();
  return client;
}
