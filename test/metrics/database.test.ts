import { expect } from 'chai';
import pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { collectDatabase } from '../../src/metrics/database.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { freshDatabase } from '../support/postgres.ts';
import { readScrape, type Scraped } from '../support/scrape.ts';
import { openDeliveries } from '../support/webhooks.ts';

const quiet = { warn: () => {} };
const budget = { name: 'https://exchange.example', burst: 400, perSecond: 20 };

describe('database metrics', () => {
  /** One scrape of a database after these statements have run. */
  async function scrapeAfter(
    rows: (text: string, values?: unknown[]) => Promise<unknown>,
    url: string,
    fill: string[],
  ): Promise<Scraped> {
    for (const statement of fill) await rows(statement);
    const db = await openPool(url, 1, () => {});
    const metrics = openMetrics();
    collectDatabase(db, { tasks: ['network/place', 'network/cancel', 'webhooks/deliver'], budget }, metrics, quiet);
    return readScrape(await metrics.scrape().finally(() => db.end()));
  }

  it('count jobs by task and state, with the age of the oldest ready job', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });

    const figures = await scrapeAfter((text) => pool.query(text), database.url, [
      `select graphile_worker.add_job('network/place', run_at => now() - interval '90 seconds')`,
      `select graphile_worker.add_job('network/place', run_at => now() - interval '5 seconds')`,
      `select graphile_worker.add_job('network/place', run_at => now() + interval '1 hour')`,
      `select graphile_worker.add_job('network/cancel')`,
      `update queue_jobs set locked_at = now(), locked_by = 'w' where run_at = (select max(run_at) from queue_jobs where run_at <= now())`,
      `select graphile_worker.add_job('network/cancel', max_attempts => 1, run_at => now() - interval '2 hours')`,
      `update queue_jobs set attempts = 1 where max_attempts = 1`,
      `select graphile_worker.add_job('nobody/knows', run_at => now() - interval '1 second')`,
    ]);
    await pool.end();
    await database.drop();

    const jobs = (task: string, state: string) => figures.value('tps_queue_jobs', { task, state });
    expect([jobs('network/place', 'ready'), jobs('network/place', 'planned')]).to.deep.equal([2, 1]);
    expect([jobs('network/cancel', 'running'), jobs('network/cancel', 'dead')]).to.deep.equal([1, 1]);
    expect(jobs('other', 'ready')).to.equal(1);
    expect(jobs('webhooks/deliver', 'ready')).to.equal(0);
    expect(figures.value('tps_queue_oldest_ready_seconds', { task: 'network/place' })).to.be.within(90, 120);
    expect(figures.value('tps_queue_oldest_ready_seconds', { task: 'network/cancel' })).to.equal(0);
    expect(figures.text).not.to.include('nobody/knows');
  });

  it('count the orders which prove that the database is behind, until it is recovered', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const rows = (text: string) => pool.query(text);
    const notice = `insert into restore_evidence (id, kind) select gen_random_uuid(), 'unknown' from generate_series(1, 2)`;

    const [none, behind, recovered] = [
      await scrapeAfter(rows, database.url, []),
      await scrapeAfter(rows, database.url, [notice]),
      await scrapeAfter(rows, database.url, [`select recover_since(now())`]),
    ];
    await pool.end();
    await database.drop();

    const figures = [none, behind, recovered].map((figure) => figure.value('tps_database_behind'));
    expect(figures).to.deep.equal([0, 2, 0]);
  });

  it('count unprotected positions by venue, with the time of the longest, and only those that were reported', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const wanted = (pair: string, since: string | null, told: boolean) =>
      `insert into wanted_exits (venue, trader, pair, owner, missing_since, told_at)
       values ('netvenue', 'e_1', '${pair}', 'ptn_1', now() - interval '${since}', ${told ? 'now()' : 'null'})`;

    const figures = await scrapeAfter((text) => pool.query(text), database.url, [
      wanted('BTCUSDC', '40 seconds', true),
      wanted('ETHUSDC', '20 seconds', true),
      wanted('SOLUSDC', '90 seconds', false),
    ]);
    await pool.end();
    await database.drop();

    expect(figures.value('tps_unprotected_positions', { venue: 'netvenue' })).to.equal(2);
    expect(figures.value('tps_unprotected_seconds', { venue: 'netvenue' })).to.be.within(40, 60);
    expect(figures.value('tps_unprotected_newest_timestamp_seconds', { venue: 'netvenue' })).to.be.closeTo(
      Date.now() / 1000,
      60,
    );
    for (const name of ['tps_unprotected_positions', 'tps_unprotected_newest_timestamp_seconds'])
      expect(figures.value(name, { venue: 'exvenue' })).to.equal(0);
    expect(figures.value('tps_unprotected_seconds', { venue: 'exvenue' })).to.equal(0);
  });

  it('count open intents by kind and state, and those that never ended', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const intent = (kind: string, state: string, age: string, ended = false) =>
      `insert into intents (id, kind, owner, state, request, digest, created_at, deadline_at${ended ? ', settled_at, outcome' : ''})
       values (gen_random_uuid(), '${kind}', 'p', '${state}', '{}', '', now() - interval '${age}', now()${ended ? `, now(), '{}'` : ''})`;

    const figures = await scrapeAfter((text) => pool.query(text), database.url, [
      intent('network/place', 'in_doubt', '10 minutes'),
      intent('network/place', 'in_doubt', '1 minute'),
      intent('network/place', 'queued', '2 seconds'),
      intent('network/place', 'failed', '1 day', true),
      intent('strange/kind', 'running', '1 second'),
      intent('payouts/pay', 'in_doubt', '2 days'), // it has waited for the platform's balance
      `update intents set sending_at = now() - interval '5 seconds' where kind = 'payouts/pay'`,
    ]);
    await pool.end();
    await database.drop();

    const inDoubt = { kind: 'network/place', state: 'in_doubt' };
    expect(figures.value('tps_intents_oldest_seconds', { kind: 'other', state: 'in_doubt' })).to.be.within(5, 65);
    expect(figures.value('tps_intents_open', inDoubt)).to.equal(2);
    expect(figures.value('tps_intents_oldest_seconds', inDoubt)).to.be.within(600, 660);
    expect(figures.value('tps_intents_open', { kind: 'network/place', state: 'queued' })).to.equal(1);
    expect(figures.value('tps_intents_open', { kind: 'other', state: 'running' })).to.equal(1);
    expect(figures.value('tps_intents_open')).to.equal(5);
  });

  it('show the used part of the exchange’s budget, with what was refilled since, and nothing before the first call', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const query = (text: string) => pool.query(text);

    const before = await scrapeAfter(query, database.url, []);
    const used = await scrapeAfter(query, database.url, [
      `insert into request_budgets (name, tokens, counted_at) values ('${budget.name}', 100, now() - interval '5 seconds')`,
    ]);
    const overdrawn = await scrapeAfter(query, database.url, [
      `update request_budgets set tokens = -4000, counted_at = now()`,
    ]);
    await pool.end();
    await database.drop();

    expect(before.value('tps_exchange_budget_used_ratio')).to.equal(undefined);
    expect(used.value('tps_exchange_budget_used_ratio')).to.be.within(0.3, 0.5);
    expect(overdrawn.value('tps_exchange_budget_used_ratio')).to.equal(1);
  });

  it('show the oldest transaction, whoever has it open, and operators whose it is', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const holder = new pg.Client({ connectionString: database.url, application_name: 'a long report' });
    await holder.connect();
    await holder.query('begin; select txid_current()');

    const figures = await scrapeAfter((text) => pool.query(text), database.url, []);
    const { rows } = await pool.query('select application, state, prepared_as from ops.transactions');
    await holder.end();
    await pool.end();
    await database.drop();

    expect(figures.value('tps_database_oldest_transaction_seconds')).to.be.within(0.001, 10);
    expect(rows).to.deep.equal([{ application: 'a long report', state: 'idle in transaction', prepared_as: null }]);
  });

  it('count deliveries and endpoints by state', async () => {
    const d = await openDeliveries();
    const app = await d.app();
    const endpoints = await Promise.all([1, 2, 3, 4].map((n) => d.endpoint(app, `https://example.com/${n}`)));
    const [first, second, third] = endpoints.map(({ id }) => id);
    await d.emit(app, 'user.created');

    const figures = await scrapeAfter(d.rows, d.settings.DATABASE_URL ?? '', [
      `update webhook_deliveries set state = 'failed', ended_at = now() where endpoint_id = '${first}'`,
      `update webhook_deliveries set state = 'delivered', ended_at = now() where endpoint_id = '${second}'`,
      `update webhook_deliveries set due_at = now() - interval '7 minutes' where endpoint_id = '${third}'`,
      `update webhook_endpoints set failing_since = now() where id = '${second}'`,
      `update webhook_endpoints set active = false, deactivated_because = 'gone' where id = '${third}'`,
    ]);
    await d.stop();

    const deliveries = (state: string) => figures.value('tps_deliveries', { state });
    expect([deliveries('pending'), deliveries('sending'), deliveries('failed')]).to.deep.equal([2, 0, 1]);
    expect(figures.value('tps_deliveries_oldest_due_seconds')).to.be.within(420, 460);
    expect(figures.value('tps_deliveries_oldest_seconds')).to.be.within(0, 60);
    const inState = (state: string) => figures.value('tps_webhook_endpoints', { state });
    expect([inState('active'), inState('failing'), inState('deactivated_gone')]).to.deep.equal([2, 1, 1]);
    expect(inState('deactivated_asked')).to.equal(0);
  });

  it('leave out what waits because its owner is disabled: nobody has to do anything about it', async () => {
    const d = await openDeliveries();
    const app = await d.app();
    const { id } = await d.endpoint(app, 'https://example.com/1');
    await d.emit(app, 'user.created');

    const figures = await scrapeAfter(d.rows, d.settings.DATABASE_URL ?? '', [
      `update webhook_deliveries set due_at = now() - interval '7 minutes', created_at = now() - interval '1 hour'`,
      `update webhook_endpoints set failing_since = now() - interval '1 hour' where id = '${id}'`,
      'update apps set disabled_at = now()',
      `insert into mails (id, template, tenant, recipient, data, expires_at, state, fault, ended_at)
       values (gen_random_uuid(), 'none', '${app}', 'ada@example.com', '{}', now(), 'expired', 'late', now())`,
    ]);
    await d.stop();

    expect(figures.value('tps_deliveries', { state: 'pending' })).to.equal(0);
    expect(figures.value('tps_deliveries_oldest_due_seconds')).to.equal(0);
    expect(figures.value('tps_deliveries_oldest_seconds')).to.equal(0);
    const inState = (state: string) => figures.value('tps_webhook_endpoints', { state });
    expect([inState('failing'), inState('owner_disabled')]).to.deep.equal([0, 1]);
    expect(figures.value('tps_needs_attention', { what: 'failed_mails' })).to.equal(0);
  });

  it('are omitted when the database is unreachable or too slow: the scrape reports that, and does not hang', async () => {
    const database = await freshDatabase();
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table worker_processes in access exclusive mode');
    const db = await openPool(database.url, 1, () => {});
    const metrics = openMetrics();
    metrics.ofDatabase.workers.set(3); // of an earlier scrape
    metrics.ofDatabase.attention.set({ what: 'disputes' }, 3);
    metrics.ofDatabase.retentionBehind.set({ rows: 'events' }, 3);
    const forget = collectDatabase(db, { tasks: ['network/place'], budget }, metrics, quiet);

    const startedAt = performance.now();
    const figures = await Promise.all([metrics.scrape(), metrics.scrape()]);
    const tookMs = performance.now() - startedAt;
    await holder.query('rollback');
    await holder.end();
    await db.end();
    forget();
    const gone = await openPool('postgres://nobody@127.0.0.1:1/nowhere', 1, () => {}).catch(() => null);
    await gone?.end();
    await database.drop();

    for (const scraped of figures.map(readScrape)) {
      expect(scraped.value('tps_database_up')).to.equal(0);
      expect(scraped.value('tps_workers_alive')).to.equal(undefined);
      expect(scraped.value('tps_queue_jobs')).to.equal(undefined);
      expect(scraped.value('tps_needs_attention')).to.equal(undefined);
      expect(scraped.value('tps_retention_behind_seconds')).to.equal(undefined);
    }
    expect(tookMs).to.be.within(2_900, 9_000);
  });
});
