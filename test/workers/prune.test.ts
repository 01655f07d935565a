import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { inBatches } from '../../src/db/batches.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import { prunings } from '../../src/db/retention.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const DAYS = { RETAIN_INTENTS_DAYS: 90, RETAIN_ORDERS_DAYS: 400, RETAIN_EVENTS_DAYS: 30, RETAIN_SESSIONS_DAYS: 30 };
const OLD = '1000 days';
const WORKERS = fileURLToPath(new URL('../../workers', import.meta.url));
const waiting = z.object({ waits: z.boolean() });

describe('housekeeping/prune', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let db: Db;
  before(async () => {
    database = await freshDatabase();
    client = await connected();
    db = await openPool(database.url, 2, () => {});
    await client.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
      insert into users (id, app_id, email, password_hash, verified_at) values ('usr_1', 'app_1', 'a@example.com', 'h', now());
      insert into admins (id, email, password_hash) values ('adm_1', 'op@example.com', 'h');
      insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_a', 'crypto', 'crypto', 1000, 5000);
      insert into webhook_endpoints (id, app, url, events) values ('whe_1', 'app_1', 'https://example.com', '{*}')`);
  });
  after(async () => {
    await client.end();
    await db.end();
    await database.drop();
  });

  async function connected(): Promise<Client> {
    const more = new Client({ ...database.connection, ssl: false });
    await more.connect();
    return more;
  }
  const bounds = (more = {}) => ({ most: 1_000, withinMs: 60_000, signal: new AbortController().signal, ...more });
  const prune = (more = {}) => inBatches(prunings(db, DAYS), bounds(more));
  const left = async (table: string, column = 'id'): Promise<string[]> => {
    const { rows } = await client.query(`select ${column}::text as name from ${table} order by 1`);
    return rows.map(({ name }) => name);
  };

  /** Ids that a test can read: the number in their last digits. */
  const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const n = (id: string) => Number(id.slice(-12));

  type Made = { n: number; kind: string; age?: string; state?: string; target?: number };
  async function intent({ n, kind, age = OLD, state = 'succeeded', target }: Made): Promise<void> {
    const settled = !['queued', 'running', 'in_doubt'].includes(state);
    await client.query(
      `insert into intents (id, kind, owner, lane, state, asked, outcome, digest, created_at, deadline_at, settled_at)
       values ($1, $2, 'ptn_1', $7, $3, $4, case when $5 then '{"result": {}}'::jsonb end, '', now() - $6::interval,
         now() - $6::interval, case when $5 then now() - $6::interval end)`,
      [uuid(n), kind, state, target ? { target: uuid(target) } : {}, settled, age, `lane ${n}`],
    );
  }
  async function order(made: Made & { lifecycle?: string | null; executed?: object }): Promise<void> {
    await intent({ ...made });
    await client.query(
      `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
       values ($1::uuid, 'netvenue', 'ptn_1', 'trader', 'BTCUSDC', $1::uuid::text, '{}', $2, $3)`,
      [uuid(made.n), made.lifecycle === undefined ? 'filled' : made.lifecycle, made.executed ?? null],
    );
  }
  const intentsLeft = async () => (await left('intents')).map(n);

  it('takes settled intents that are old and stand alone, and no other', async () => {
    await intent({ n: 1, kind: 'orders/cancel' });
    await intent({ n: 2, kind: 'orders/cancel', age: '89 days' });
    await intent({ n: 3, kind: 'orders/exvenue/close', state: 'failed' });
    for (const [at, state] of ['queued', 'running', 'in_doubt'].entries()) {
      await intent({ n: 10 + at, kind: 'orders/cancel', state });
    }
    for (const [at, kind] of [
      'payments/checkout',
      'payments/refund',
      'payouts/pay',
      'registration/purchase',
    ].entries()) {
      await intent({ n: 20 + at, kind });
    }
    await intent({ n: 30, kind: 'accounts/provision', state: 'failed' });
    for (const at of [31, 32]) await intent({ n: at, kind: 'accounts/provision' });
    await client.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('e_1', 'e', 1, 'ptn_1', $1, 'crypto', 1, 'active')`,
      [uuid(31)],
    );
    await client.query(
      `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, intent_id)
       values ('pa_1', 'app_1', 'usr_1', 'tier_a', 'crypto', 'crypto', 1, 'subaccount_failed', $1)`,
      [uuid(32)],
    );

    const pruned = await prune();

    expect(pruned).to.deep.equal({ intents: 3 });
    expect(await intentsLeft()).to.have.members([2, 10, 11, 12, 20, 21, 22, 23, 31, 32]);
  });

  it('takes an order that is over together with its placement, and never one of them alone', async () => {
    await client.query('delete from intents');
    await order({ n: 1, kind: 'orders/place' });
    await order({ n: 2, kind: 'orders/exvenue/place', state: 'failed', lifecycle: null });
    await order({ n: 3, kind: 'orders/place', age: '399 days' });
    await order({ n: 4, kind: 'orders/place', lifecycle: 'resting' });
    await order({ n: 5, kind: 'orders/exvenue/place', executed: { trigger_status: 'pending_parent_fill' } });
    await order({ n: 6, kind: 'orders/place' });
    await intent({ n: 60, kind: 'orders/cancel', state: 'in_doubt', target: 6 });
    await order({ n: 7, kind: 'orders/protect' });
    await order({ n: 8, kind: 'orders/protect', age: '100 days' });

    const pruned = await prune();

    expect(pruned).to.deep.equal({ orders: 3 });
    expect((await left('orders')).map(n)).to.deep.equal([3, 4, 5, 6, 8]);
    expect(await intentsLeft()).to.deep.equal([3, 4, 5, 6, 8, 60]);
  });

  it('keeps an intent while a key stands for it, and keys for seven days', async () => {
    await client.query('delete from intents; delete from orders');
    for (const at of [1, 2]) await intent({ n: at, kind: 'orders/cancel' });
    await client.query(
      `insert into idempotency_keys (owner, key, digest, intent_id, created_at)
       values ('ptn_1', 'young', '', $1, now() - interval '6 days 23 hours'), ('ptn_1', 'old', '', $2, now() - interval '7 days 1 minute')`,
      [uuid(1), uuid(2)],
    );
    await client.query(
      `insert into kept_answers (caller, key, digest, created_at)
       values ('app_1', 'young', '', now() - interval '6 days 23 hours'), ('app_1', 'old', '', now() - interval '8 days')`,
    );

    const pruned = await prune();

    expect(pruned).to.deep.equal({ idempotency_keys: 1, kept_answers: 1, intents: 1 });
    expect(await left('idempotency_keys', 'key')).to.deep.equal(['young']);
    expect(await left('kept_answers', 'key')).to.deep.equal(['young']);
    expect(await intentsLeft()).to.deep.equal([1]);
  });

  it('takes lanes that nothing is in', async () => {
    await client.query('delete from intents');
    await intent({ n: 1, kind: 'orders/place', state: 'running' });
    await client.query(`insert into lanes (name, head) values ('idle', null), ('lane 1', $1)`, [uuid(1)]);

    expect(await prune()).to.deep.equal({ lanes: 1 });
    expect(await left('lanes', 'name')).to.deep.equal(['lane 1']);
  });

  it('loses no lane that an order enters meanwhile, whoever comes first', async () => {
    await client.query(
      `delete from intents; delete from lanes; insert into lanes (name) values ('entered'), ('taken')`,
    );
    const hand = await connected();
    const enter = (by: Client, at: number, lane: string) =>
      by.query('select accept_intents($1)', [
        JSON.stringify([
          { n: 0, id: uuid(at), kind: 'orders/place', owner: 'ptn_1', lane, asked: {}, digest: '00', deadline_s: 60 },
        ]),
      ]);

    await hand.query('begin');
    await enter(hand, 1, 'entered');
    const passedOver = await prune();
    await hand.query('rollback; begin; select prune_lanes(0, 1000)');
    const entering = enter(client, 2, 'entered');
    await until('an order that waits for the pruning', () =>
      db.oneFirst(sql.type(waiting)`
      select exists (select from pg_locks where not granted and locktype = 'transactionid') as waits`),
    );
    await hand.query('commit');
    await entering;
    await hand.end();

    const { rows } = await client.query('select name, head from lanes');
    expect(passedOver).to.deep.equal({ lanes: 1 });
    expect(rows).to.deep.equal([{ name: 'entered', head: uuid(2) }]);
  });

  it('takes events with all their deliveries and attempts, once the last delivery has long ended', async () => {
    const day = (ago: number) => `now() - interval '${ago} days'`;
    const event = (name: string, ago: number) => `
      insert into events (id, app, type, position, body, created_at)
      select sortable_from('evt', ${day(ago)}) || '${name}', 'app_1', 'a.b', coalesce(max(position), 0) + 1, '{}', ${day(ago)} from events`;
    const delivery = (name: string, endpoint: string, state: string, ended: string) => `
      insert into webhook_deliveries (id, app, endpoint_id, event_id, state, ended_at)
      select 'whd_${name}_${endpoint}', 'app_1', '${endpoint}', id, '${state}', ${ended} from events where id like '%${name}';
      insert into webhook_attempts (delivery_id, n, started_at, duration_ms) values ('whd_${name}_${endpoint}', 1, now(), 1)`;
    await client.query(
      `insert into webhook_endpoints (id, app, url, events) values ('whe_2', 'app_1', 'https://example.com', '{*}')`,
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

  it('takes mails, sessions, superseded links, dead jobs and what the processor told, by their age', async () => {
    await client.query(`
      delete from graphile_worker._private_jobs;
      insert into mails (id, template, recipient, data, state, created_at, expires_at, ended_at)
      values ('${uuid(1)}', 'a', 'x', '{}', 'sent', now() - interval '31 days', now(), now()),
        ('${uuid(2)}', 'a', 'x', '{}', 'sent', now() - interval '29 days', now(), now()),
        ('${uuid(3)}', 'a', 'x', '{}', 'queued', now() - interval '31 days', now(), null);
      insert into user_sessions (id, digest, user_id, expires_at)
      values ('old', 'a', 'usr_1', now() - interval '31 days'), ('young', 'b', 'usr_1', now() - interval '29 days');
      insert into admin_sessions (id, digest, admin_id, expires_at)
      values ('old', 'a', 'adm_1', now() - interval '31 days'), ('young', 'b', 'adm_1', now() - interval '29 days');
      insert into reveal_links (id, digest, app_id, expires_at, superseded_at)
      values ('old', 'a', 'app_1', now() - interval '31 days', now()), ('newest', 'b', 'app_1', now() - interval '90 days', null);
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
      values ('pay_1', 'app_1', 'usr_1', 'tier_a', 'crypto', 'crypto', 1, 5000, 'usd', gen_random_uuid());
      insert into processor_events (id, type, said_at, fact, source, outcome, acted_at, payment_id, received_at)
      values ('applied', 'payment_intent.succeeded', now(), '{}', 'listed', 'applied', now(), 'pay_1', now() - interval '91 days'),
        ('unknown', 'a', now(), '{}', 'listed', 'unknown', null, null, now() - interval '91 days'),
        ('young', 'a', now(), '{}', 'listed', 'applied', now(), null, now() - interval '89 days'),
        ('open', 'a', now(), '{}', 'listed', null, null, null, now() - interval '91 days'),
        ('timeline', 'payment_intent.payment_failed', now(), '{}', 'listed', 'applied', now(), 'pay_1', now() - interval '91 days')`);
    for (const task of ['dead', 'young', 'alive']) await client.query(`select graphile_worker.add_job('${task}')`);
    await client.query(`
      update graphile_worker._private_jobs j
      set attempts = case when t.identifier = 'alive' then 1 else max_attempts end,
        updated_at = now() - case when t.identifier = 'young' then interval '29 days' else interval '31 days' end
      from graphile_worker._private_tasks t
      where t.id = j.task_id`);

    const pruned = await prune();

    expect(pruned).to.deep.equal({
      mails: 1,
      user_sessions: 1,
      admin_sessions: 1,
      reveal_links: 1,
      dead_jobs: 1,
      processor_events: 2,
    });
    expect((await left('mails')).map(n)).to.deep.equal([2, 3]);
    expect(await left('user_sessions')).to.deep.equal(['young']);
    expect(await left('admin_sessions')).to.deep.equal(['young']);
    expect(await left('reveal_links')).to.deep.equal(['newest']);
    expect(await left('processor_events')).to.deep.equal(['open', 'timeline', 'young']);
    expect(await left('graphile_worker.jobs', 'task_identifier')).to.deep.equal(['alive', 'young']);
  });

  it('keeps to its bound of rows, and passes over what somebody holds', async () => {
    await client.query('delete from intents');
    for (let at = 1; at <= 25; at++) await intent({ n: at, kind: at % 2 ? 'orders/cancel' : 'orders/edit' });
    const holder = await connected();
    await holder.query('begin');
    await holder.query('select from intents where id = $1 for update', [uuid(1)]);
    const batches: number[] = [];
    const counting = async (most: number) => {
      const batch = prunings(db, DAYS).intents;
      const count = (await batch?.(most)) ?? 0;
      batches.push(count);
      return count;
    };

    await inBatches({ intents: counting }, bounds({ most: 10 }));
    await holder.query('commit');
    await holder.end();

    expect(batches).to.deep.equal([10, 10, 4]);
    expect(await intentsLeft()).to.deep.equal([1]);
  });

  it('knows every verb: each is pruned by its age, or stays with what it moved', async () => {
    const stays = [
      'payments/checkout',
      'payments/refund',
      'payouts/account',
      'payouts/submit',
      'payouts/pay',
      'registration/purchase',
    ];
    const files = await Array.fromAsync(glob('**/*.ts', { cwd: WORKERS }));
    const verbs = [];
    for (const file of files.filter((name) => !name.endsWith('reconcile.ts'))) {
      if (/\bintent_id\b/.test(await readFile(path.join(WORKERS, file), 'utf8'))) verbs.push(file.replace(/\.ts$/, ''));
    }

    const bodies = await db.anyFirst(sql.type(z.object({ body: z.string() }))`
      select prosrc as body from pg_proc where proname in ('prune_intents', 'prune_orders')`);
    const pruned = bodies.flatMap((body) => [...body.matchAll(/'([a-z]+(?:\/[a-z]+)+)'/g)].map(([, kind]) => kind));

    expect(new Set([...pruned, ...stays])).to.deep.equal(new Set(verbs));
  });

  it('is asked of every table: each one is told of in sql/README.md', async () => {
    const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
      select c.relname as name
      from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
    const manners = await readFile(new URL('../../sql/README.md', import.meta.url), 'utf8');
    const told = [...manners.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names]) =>
      (names ?? '').split(',').map((name) => name.replace(/[`\s]/g, '')),
    );

    expect(told).to.have.members([...tables]);
  });
});
