import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { numberIn, openPruned, type Pruned, uuid } from '../support/pruning.ts';

const WORKERS = fileURLToPath(new URL('../../workers', import.meta.url));

describe('housekeeping/prune of the rest', () => {
  let opened: Pruned;
  let { db, client, prune, left } = {} as Pruned;
  before(async () => {
    opened = await openPruned();
    ({ db, client, prune, left } = opened);
  });
  after(() => opened.close());

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
    expect((await left('mails')).map(numberIn)).to.deep.equal([2, 3]);
    expect(await left('user_sessions')).to.deep.equal(['young']);
    expect(await left('admin_sessions')).to.deep.equal(['young']);
    expect(await left('reveal_links')).to.deep.equal(['newest']);
    expect(await left('processor_events')).to.deep.equal(['open', 'timeline', 'young']);
    expect(await left('graphile_worker.jobs', 'task_identifier')).to.deep.equal(['alive', 'young']);
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
