import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { numberIn, openPruned, type Pruned, uuid } from '../support/pruning.ts';

const WORKERS = fileURLToPath(new URL('../../workers', import.meta.url));
const SRC = fileURLToPath(new URL('../../src', import.meta.url));

describe('housekeeping/prune of the rest', () => {
  let opened: Pruned;
  let { db, client, connected, prune, left } = {} as Pruned;
  before(async () => {
    opened = await openPruned();
    ({ db, client, connected, prune, left } = opened);
  });
  after(() => opened.close());

  it('deletes requests of more than a week ago, the oldest first', async () => {
    await client.query(`
      insert into api_requests (owner, at, operation, method, status, request_id, caller, ms)
      select 'app_1', now() - interval '1 day' * ago, 'op', 'GET', 200, 'req_' || ago, 'app', 1
      from unnest(array[9, 8, 6, 0]) ago`);

    const [few, rest, none] = [await pruned(1), await pruned(10), await pruned(10)];

    expect([few, rest, none]).to.deep.equal([1, 1, 0]);
    const { rows } = await client.query('select request_id from api_requests order by id');
    expect(rows).to.deep.equal([{ request_id: 'req_6' }, { request_id: 'req_0' }]);
  });

  it('deletes the old requests of every owner, and the counts of more than a year ago', async () => {
    await client.query(`
      insert into api_usage (owner, day, operation, status_class, requests)
      select 'ptn_1', (now() at time zone 'utc')::date - ago, 'op', 2, 1 from unnest(array[401, 399]) ago;
      insert into api_requests (owner, at, operation, method, status, request_id, caller, ms)
      select owner, now() - interval '1 day' * ago, 'op', 'GET', 200, 'req_' || ago, 'partner', 1
      from unnest(array['ptn_1', 'ptn_2', 'ptn_3']) owner
      cross join unnest(array[9, 0]) ago`);

    expect(await pruned(2)).to.equal(2);
    expect(await pruned(10)).to.equal(1);

    const { rows } = await client.query(`select owner from api_requests where request_id = 'req_9'`);
    expect(rows).to.deep.equal([]);
    const [young, ...others] = await left('api_usage', `((now() at time zone 'utc')::date - day)`);
    expect(others).to.deep.equal([]);
    expect(young).to.be.oneOf(['399', '400']); // a run may pass midnight
  });

  const pruned = async (most: number): Promise<number> => {
    const { rows } = await client.query('select prune_requests(7 * 86400, $1)::integer as count', [most]);
    return rows[0].count;
  };

  it('reads of each owner hardly more requests than it deletes, however many are young', async () => {
    const [OWNERS, YOUNG, OLD] = [40, 1_000, 2];
    await client.query(
      `insert into api_requests (owner, at, operation, method, status, request_id, caller, ms)
       select 'owner_' || o, now() - case when n <= $1 then interval '8 days' else interval '1 hour' end, 'listOrders', 'GET', 200, 'req_' || n,
         'partner', 1
       from generate_series(1, $2::integer) o cross join generate_series(1, $3::integer) n
       order by o, n`,
      [OLD, OWNERS, OLD + YOUNG],
    );
    const reads = async (): Promise<number> => {
      await client.query('select pg_stat_force_next_flush()');
      const { rows } = await client.query(
        `select (seq_tup_read + idx_tup_fetch)::integer as n from pg_stat_user_tables where relname = 'api_requests'`,
      );
      return rows[0].n;
    };
    await client.query('analyze api_requests');
    const before = await reads();

    expect(await pruned(1_000)).to.equal(OWNERS * OLD);
    expect((await reads()) - before).to.be.below((OWNERS * YOUNG) / 4);
  });

  it('deletes events with all their deliveries and attempts, once the last delivery has long ended', async () => {
    const day = (ago: number) => `now() - interval '${ago} days'`;
    const event = (name: string, ago: number) => `
      insert into events (id, owner, type, position, data, created_at)
      select sortable_from('evt', ${day(ago)}) || '${name}', 'app_1', 'a.b', coalesce(max(position), 0) + 1, '{}', ${day(ago)} from events`;
    const delivery = (name: string, endpoint: string, state: string, ended: string) => `
      insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
      select 'whd_${name}_${endpoint}', 'app_1', '${endpoint}', id, '${state}', ${ended} from events where id like '%${name}';
      insert into webhook_attempts (delivery_id, n, started_at, duration_ms) values ('whd_${name}_${endpoint}', 1, now(), 1)`;
    await client.query(
      `insert into webhook_endpoints (id, owner, url, events) values ('whe_2', 'app_1', 'https://example.com', '{*}')`,
    );
    for (const statement of [
      event('_untold', 31),
      event('_young', 29),
      event('_done', 40),
      delivery('_done', 'whe_1', 'delivered', day(40)),
      delivery('_done', 'whe_2', 'failed', day(36)),
      event('_open', 40),
      delivery('_open', 'whe_1', 'delivered', day(40)),
      delivery('_open', 'whe_2', 'pending', 'null'),
      event('_late', 40),
      delivery('_late', 'whe_1', 'delivered', day(29)),
    ]) {
      await client.query(statement);
    }

    const pruned = await prune();

    expect(pruned).to.deep.equal({ events: 2 });
    expect((await left('events')).map((id) => id.replace(/^.*_/, ''))).to.have.members(['young', 'open', 'late']);
    expect(await left('webhook_deliveries')).to.deep.equal(['whd__late_whe_1', 'whd__open_whe_1', 'whd__open_whe_2']);
    expect(await left('webhook_attempts', 'delivery_id')).to.have.length(3);
  });

  it('deletes no delivery that is requested again meanwhile', async () => {
    await client.query(`
      insert into events (id, owner, type, position, data, created_at)
      select sortable_from('evt', now() - interval '40 days') || '_again', 'app_1', 'a.b', coalesce(max(position), 0) + 1, '{}',
        now() - interval '40 days'
      from events;
      insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
      select 'whd_again', 'app_1', 'whe_1', id, 'failed', now() - interval '40 days' from events where id like '%_again'`);
    const session = await connected();

    await session.query(`begin; select redeliver('app_1', 'whd_again')`);
    const pruning = prune().catch(() => {}); // rejected as a whole: the event of a delivery cannot be deleted
    await until('the pruning waits', async () => (await client.query(WAITING)).rows.length > 0);
    await session.query('commit');
    await pruning;
    await session.end();

    expect(await left('webhook_deliveries', `id || ' ' || state`)).to.include('whd_again pending');
  });

  it('deletes no event that is to be kept for a century, which began before 1970', async () => {
    await client.query(`select record_event('app_1', 'a.b', '{}')`);
    const before = await left('events');

    await client.query(`select expire_events(36500 * 86400.0, 1000, '')`);

    expect(await left('events')).to.deep.equal(before);
  });

  it('deletes mails, sessions, superseded links, dead jobs and processor events by their age', async () => {
    await client.query(`
      delete from queue_jobs;
      insert into mails (id, template, recipient, data, state, created_at, expires_at, ended_at)
      values ('${uuid(1)}', 'a', 'x', '{}', 'sent', now() - interval '31 days', now(), now()),
        ('${uuid(2)}', 'a', 'x', '{}', 'sent', now() - interval '29 days', now(), now()),
        ('${uuid(3)}', 'a', 'x', '{}', 'queued', now() - interval '31 days', now(), null);
      insert into user_sessions (id, digest, user_id, expires_at)
      values ('old', 'a', 'usr_1', now() - interval '31 days'), ('young', 'b', 'usr_1', now() - interval '29 days');
      insert into admin_sessions (id, digest, admin_id, expires_at)
      values ('old', 'a', 'adm_1', now() - interval '31 days'), ('young', 'b', 'adm_1', now() - interval '29 days');
      insert into reveal_links (id, digest, app_id, expires_at, superseded_at)
      values ('old', 'a', 'app_1', now() - interval '31 days', now()), ('newest', 'b', 'app_1', now() - interval '90 days', null),
        ('young', 'c', 'app_1', now() - interval '29 days', now());
      insert into upstream_responses (upstream, name, body, read_at)
      values ('exvenue', 'old', '{}', now() - interval '31 days'), ('exvenue', 'young', '{}', now() - interval '29 days');
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
      values ('pay_1', 'app_1', 'usr_1', 'tier_a', 'crypto', 'crypto', 1, 5000, 'usd', gen_random_uuid());
      insert into processor_events (id, type, said_at, fact, source, outcome, acted_at, payment_id, received_at)
      values ('applied', 'payment_intent.succeeded', now(), '{}', 'listed', 'applied', now(), 'pay_1', now() - interval '91 days'),
        ('foreign', 'a', now(), '{}', 'listed', 'not_ours', now(), null, now() - interval '91 days'),
        ('young', 'a', now(), '{}', 'listed', 'applied', now(), null, now() - interval '89 days'),
        ('open', 'a', now(), '{}', 'listed', null, null, null, now() - interval '91 days'),
        ('timeline', 'payment_intent.payment_failed', now(), '{}', 'listed', 'applied', now(), 'pay_1', now() - interval '91 days'),
        ('unread', 'charge.refunded', now(), '{}', 'listed', 'unreadable', now(), 'pay_1', now() - interval '91 days'),
        ('suspect', 'a', now(), '{"about": "warning"}', 'listed', 'applied', now(), 'pay_1', now() - interval '91 days'),
        ('paid', 'payment_intent.succeeded', now(), '{"paymentId": "pay_1"}', 'listed', 'not_ours', now(), null, now() - interval '91 days'),
        ('unpaid', 'payment_intent.succeeded', now(), '{"paymentId": "pay_2"}', 'listed', 'not_ours', now(), null, now() - interval '91 days');
      insert into processor_events (id, type, said_at, fact, source, outcome, acted_at, payment_id, received_at, closed_at)
      select id || ' closed', type, said_at, fact, source, outcome, acted_at, payment_id, received_at, now()
      from processor_events
      where id in ('unread', 'suspect')`);
    for (const task of ['dead', 'young', 'alive']) await client.query(`select graphile_worker.add_job('${task}')`);
    await client.query(`
      update queue_jobs j
      set attempts = case when j.task = 'alive' then 1 else max_attempts end,
        updated_at = now() - case when j.task = 'young' then interval '29 days' else interval '31 days' end`);

    const pruned = await prune();

    expect(pruned).to.deep.equal({
      mails: 1,
      user_sessions: 1,
      admin_sessions: 1,
      reveal_links: 1,
      upstream_responses: 1,
      dead_jobs: 1,
      processor_events: 5,
    });
    expect((await left('mails')).map(numberIn)).to.deep.equal([2, 3]);
    expect(await left('user_sessions')).to.deep.equal(['young']);
    expect(await left('admin_sessions')).to.deep.equal(['young']);
    expect(await left('reveal_links')).to.deep.equal(['newest', 'young']);
    expect(await left('upstream_responses', 'name')).to.deep.equal(['young']);
    expect(await left('processor_events')).to.deep.equal(['open', 'paid', 'suspect', 'timeline', 'unread', 'young']);
    expect(await left('graphile_worker.jobs', 'task_identifier')).to.deep.equal(['alive', 'young']);
  });

  it('covers every verb: the table of kinds matches each definition', async () => {
    const kinds = await db.any(sql.type(z.object({ kind: z.string(), retention: z.string() }))`
      select k.kind, k.retention
      from intent_kinds k`);

    const definitions = await readDefinitions();

    expect(definitions).to.have.deep.members([...kinds]);
    expect(kinds.map(({ kind }) => kind)).to.have.members(await listIntentTasks());
  });

  it('is documented for every table in sql/README.md', async () => {
    const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
      select c.relname as name
      from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
    const rules = await readFile(new URL('../../sql/README.md', import.meta.url), 'utf8');
    const reported = [...rules.slice(rules.indexOf('## How long rows live')).matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(
      ([, names]) => (names ?? '').split(',').map((name) => name.replace(/[`\s]/g, '')),
    );

    expect(reported).to.have.members([...tables]);
  });
});

const definition = z.object({ kind: z.string(), retention: z.string() });

/** The exports of the files that define an intent. */
async function readDefinitions(): Promise<z.infer<typeof definition>[]> {
  const files = await listFilesWith(SRC, /^export const \w+ = define(Processor)?Intent\(/m);
  const modules = await Promise.all(files.map((file) => import(path.join(SRC, file))));
  return modules.flatMap((module) => Object.values(module)).flatMap((value) => definition.safeParse(value).data ?? []);
}

/** The tasks that run for an intent. */
const listIntentTasks = async (): Promise<string[]> =>
  (await listFilesWith(WORKERS, /\brun(Processor)?Intent\(|\bintent_id\b/))
    .filter((file) => !file.endsWith('reconcile.ts'))
    .map((file) => file.replace(/\.ts$/, ''));

async function listFilesWith(folder: string, pattern: RegExp): Promise<string[]> {
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: folder }));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return files.filter((_, n) => pattern.test(texts[n] ?? ''));
}
