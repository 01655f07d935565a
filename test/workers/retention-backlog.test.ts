import { expect } from 'chai';
import { sql } from 'slonik';
import { prune } from '../../src/db/retention.ts';
import { DAYS, openPruned, type Pruned } from '../support/pruning.ts';

const KEPT = 3_000; // events before all others that stay: one delivery is still open
const EXPIRED = 40_000;
const YOUNG = 20_000;

describe('housekeeping/prune with a backlog', function () {
  this.timeout(120_000);
  let opened: Pruned;
  before(async () => {
    opened = await openPruned();
    await opened.client.query(EVENTS, [1, KEPT, '90 days', true]);
    await opened.client.query(EVENTS, [KEPT + 1, KEPT + EXPIRED, '60 days', false]);
    await opened.client.query(EVENTS, [KEPT + EXPIRED + 1, KEPT + EXPIRED + YOUNG, '1 day', false]);
    await opened.client.query('analyze');
  });
  after(() => opened.close());

  const count = async (table: string) =>
    Number((await opened.client.query(`select count(*) from ${table}`)).rows[0].count);
  const runs = async () =>
    (await opened.client.query(`select behind_s, after from retention_runs where name = 'events'`)).rows[0];
  const nextRuns = async () =>
    (await opened.client.query(`select key from queue_jobs where task = 'housekeeping/prune' and run_at <= now()`))
      .rows;
  const run = (signal = new AbortController().signal) =>
    prune({ db: opened.db, config: DAYS, stopping: signal, log: { info: () => {} } });

  it('looks at no more rows for a batch than it has: neither those that stay nor those that are young', async () => {
    await opened.client.query(
      "begin; select pg_stat_reset_single_table_counters('webhook_deliveries'::regclass); commit",
    );
    const { rows } = await opened.client.query(
      `explain (analyze, buffers, format json) select * from expire_events($1, 1000, '')`,
      [30 * 86_400],
    );
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];

    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).to.be.below(30_000);
  });

  it('goes on until none are left, says how far behind it is meanwhile, and passes what stays', async () => {
    const stopped = new AbortController();
    stopped.abort();
    await run(stopped.signal);
    const untouched = await nextRuns();

    await run();
    const left = await count('events');

    expect(untouched).to.deep.equal([]);
    expect(left).to.equal(KEPT + YOUNG);
    expect(await runs()).to.deep.equal({ behind_s: 0, after: '' });
    expect(await count('webhook_attempts')).to.equal(KEPT + YOUNG);
  });

  it('runs again at once while rows are left, behind those it has seen', async () => {
    await opened.client.query(EVENTS, [100_001, 105_000, '45 days', false]);
    const slow = { ...opened.db, one: opened.db.one };
    await opened.db.query(sql.unsafe`delete from retention_runs`);
    const ending = new AbortController();
    let batches = 0;
    slow.one = (async (...statement: Parameters<typeof opened.db.one>) => {
      batches += 1;
      if (batches === 8) ending.abort(); // in the middle, as the end of its time does
      return opened.db.one(...statement);
    }) as typeof opened.db.one; // as: passed on unchanged

    await prune({ db: slow, config: DAYS, stopping: ending.signal, log: { info: () => {} } });
    const meanwhile = await runs();
    await run();

    expect(meanwhile.behind_s).to.be.above(0);
    expect(meanwhile.after).to.match(/^evt_/);
    expect(await count('events')).to.equal(KEPT + YOUNG);
  });

  /** A run with a note of the kinds in the order of their first batches, of which one may be the last, and one may fail. */
  async function noted({ endsAt, fails }: { endsAt?: string; fails?: string } = {}): Promise<string[]> {
    const names: string[] = [];
    const ending = new AbortController();
    const noting = (method: 'one' | 'oneFirst') =>
      (async (query: { sql: string }) => {
        const [, name = ''] = /((?:expire|prune)_\w+|delete from "\w+)/.exec(query.sql) ?? [];
        names.push(name);
        if (name === endsAt) ending.abort();
        if (name === fails) throw new Error('canceling statement due to statement timeout');
        return opened.db[method](query as never); // as: passed on unchanged
      }) as never;
    const db = { ...opened.db, one: noting('one'), oneFirst: noting('oneFirst') };
    await prune({ db, config: DAYS, stopping: ending.signal, log: { info: () => {} } }).catch(() => {});
    return [...new Set(names)];
  }
  const restart = () => opened.db.query(sql.unsafe`delete from retention_runs`);

  it('begins with what the last run did not reach, and ends with what failed', async () => {
    await restart();
    const all = await noted();

    const reached = await noted({ endsAt: 'expire_lanes' });
    const next = await noted({ fails: 'expire_orders' });
    const last = await noted();

    const unreached = all.slice(reached.length);
    expect(unreached).to.include('prune_requests');
    expect(next).to.deep.equal([...unreached, ...reached]);
    expect(last.at(-1)).to.equal('expire_orders');
    expect(last).to.have.members(all);
  });

  it('claims nothing of what it did not reach, and shows what has failed from the first time on', async () => {
    await restart();

    await noted({ fails: 'expire_intents', endsAt: 'expire_lanes' });

    const { rows } = await opened.client.query(
      'select name, failed_at is not null as failed from retention_runs order by name',
    );
    expect(rows).to.deep.equal([
      { name: 'idempotency_keys', failed: false },
      { name: 'idempotent_responses', failed: false },
      { name: 'intents', failed: true },
      { name: 'lanes', failed: false },
      { name: 'orders', failed: false },
    ]);
  });

  it('keeps the position, the backlog and the time of the last success of a kind that fails', async () => {
    await restart();
    const at = '2026-01-01 00:00:00+00 00000000-0000-0000-0000-000000000001';
    await opened.client.query(
      `insert into retention_runs (name, after, behind_s, ran_at) values ('orders', $1, 60, now() - interval '1 hour')`,
      [at],
    );

    await noted({ fails: 'expire_orders' });

    const { rows } = await opened.client.query(
      `select after, behind_s, ran_at < now() - interval '59 minutes' as is_old from retention_runs where name = 'orders'`,
    );
    expect(rows).to.deep.equal([{ after: at, behind_s: 60, is_old: true }]);
  });

  it('says since when rows have been left where it does not see how old they are', async () => {
    await opened.client.query(
      `insert into idempotency_keys (owner, key, digest, intent_id, created_at)
       select 'app_1', n::text, '\\x00', gen_random_uuid(), now() - interval '8 days' from generate_series(1, 1500) n`,
    );
    await restart();
    await noted({ endsAt: 'delete from "idempotency_keys' });
    await opened.client.query(`update retention_runs set ran_at = now() - interval '2 hours'`);
    await opened.client.query(
      `insert into idempotency_keys (owner, key, digest, intent_id, created_at)
       select 'app_1', n::text, '\\x00', gen_random_uuid(), now() - interval '8 days' from generate_series(2001, 4000) n`,
    );
    const behind = async () =>
      (await opened.client.query(`select behind_s from retention_runs where name = 'idempotency_keys'`)).rows[0]
        .behind_s;

    await noted({ endsAt: 'delete from "idempotency_keys' });
    const meanwhile = await behind();
    await noted();

    expect(meanwhile).to.be.within(7_200, 7_260);
    expect(await behind()).to.equal(0);
  });

  it('forgets a kind that this version no longer has, once no process prunes it; it would be behind permanently', async () => {
    await restart();
    await opened.client.query(
      `insert into retention_runs (name, after, behind_s, ran_at, failed_at) values
         ('former', '', 0, now() - interval '2 hours', now()), ('newer', '', 0, now(), null),
         ('orders', '', 0, now() - interval '2 hours', null)`,
    );

    await noted({ fails: 'expire_orders' });

    const { rows } = await opened.client.query(
      `select name from retention_runs where name in ('former', 'newer', 'orders') order by name`,
    );
    expect(rows).to.deep.equal([{ name: 'newer' }, { name: 'orders' }]);
  });
});

/** Events of an age, each with one delivery and its attempt; of those that stay the delivery is open. */
const EVENTS = `
  with named as (
    select n, now() - $3::interval + n * interval '1 ms' as at,
      lpad(to_hex((extract(epoch from now() - $3::interval + n * interval '1 ms') * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0') as id
    from generate_series($1::integer, $2::integer) n
  ), emitted as (
    insert into events (id, owner, type, position, data, created_at)
    select 'evt_' || id, 'app_1', 'a.b', n, '{}', at
    from named
    returning id
  ), delivered as (
    insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, created_at, ended_at)
    select 'whd_' || id, 'app_1', 'whe_1', 'evt_' || id, case when $4::boolean then 'pending' else 'delivered' end, at,
      case when $4::boolean then null else at end
    from named
  )
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms)
  select 'whd_' || id, 1, at, 12
  from named`;
