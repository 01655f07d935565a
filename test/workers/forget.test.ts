import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { expirations } from '../../src/capabilities/users/commands.ts';
import { forget } from '../../src/capabilities/users/forget.ts';
import { inBatches } from '../../src/db/batches.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/postgres.ts';
import { bounds } from '../support/pruning.ts';

/** Deletes what has expired, in batches of that many rows. Returns the number by table. */
const forgetExpired = async (db: Db, most: number) => (await inBatches(expirations(db), bounds({ most }))).taken;

describe('housekeeping/forget', () => {
  it('deletes expired rows and sign-ups that were never verified, and nothing else', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    await db.query(
      sql.unsafe`insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}')`,
    );
    await db.query(sql.unsafe`
      insert into users (id, app_id, email, verified_at, created_at)
      values
        ('usr_verified', 'app_1', 'a@example.com', now(), now() - interval '1 year'),
        ('usr_new', 'app_1', 'b@example.com', null, now() - interval '6 days'),
        ('usr_again', 'app_1', 'd@example.com', null, now() - interval '8 days'),
        ('usr_abandoned', 'app_1', 'c@example.com', null, now() - interval '8 days')`);
    await db.query(sql.unsafe`
      insert into sign_ups (user_id, password_hash, created_at)
      values ('usr_again', 'new', now() - interval '6 days'), ('usr_abandoned', 'old', now() - interval '8 days')`);
    await db.query(sql.unsafe`
      insert into one_time_codes (app_id, email, hmac, attempts_left, expires_at)
      values ('app_1', 'a@example.com', null, 5, now() - interval '2 days'), ('app_1', 'b@example.com', null, 5, now())`);
    await db.query(sql.unsafe`
      insert into throttles (name, subject, budget, base, longest, ends_at, forget_at)
      values ('login', 'old', 1, '1 min', '1 min', now(), now() - interval '1 s'),
        ('login', 'new', 1, '1 min', '1 min', now(), now() + interval '1 min')`);
    await db.query(sql.unsafe`
      insert into paces (name, taken)
      values ('signals:now', array[now() - interval '59 minutes']), ('signals:before', array[now() - interval '2 hours']), ('signals:never', '{}')`);

    const taken = await forgetExpired(db, 1);
    const users = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from users order by id`);
    const codes = await db.anyFirst(sql.type(z.object({ email: z.string() }))`select email from one_time_codes`);
    const paces = await db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from paces`);
    const kept = await db.anyFirst(
      sql.type(z.object({ subject: z.string() }))`select convert_from(subject, 'utf8') as subject from throttles`,
    );
    await db.end();
    await database.drop();

    expect(taken).to.deep.equal({ throttles: 1, paces: 2, one_time_codes: 1, sign_ups: 1, users: 1 });
    expect(users).to.deep.equal(['usr_again', 'usr_new', 'usr_verified']);
    expect(codes).to.deep.equal(['b@example.com']);
    expect(kept).to.deep.equal(['new']);
    expect(paces).to.deep.equal(['signals:now']);
  });

  it('deletes abandoned sign-ups although an address that is signed up every day has more old ones than a batch', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    await db.query(
      sql.unsafe`insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}')`,
    );
    await db.query(sql.unsafe`
      insert into users (id, app_id, email, created_at)
      values ('usr_daily', 'app_1', 'a@example.com', now() - interval '30 days'),
        ('usr_abandoned', 'app_1', 'b@example.com', now() - interval '8 days')`);
    await db.query(sql.unsafe`
      insert into sign_ups (user_id, password_hash, created_at)
      select 'usr_daily', 'password of day ' || day, now() - make_interval(days => day) from generate_series(0, 29) as day
      union all
      values ('usr_abandoned', 'old', now() - interval '8 days')`);

    const taken = await forgetExpired(db, 10);
    const users = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from users`);
    const signUps = await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*)::integer n from sign_ups`);
    await db.end();
    await database.drop();

    expect(taken).to.deep.equal({ sign_ups: 1, users: 1 });
    expect(users).to.deep.equal(['usr_daily']);
    expect(signUps).to.equal(30);
  });

  it('keeps what is still valid, and for a day what says that it was', async () => {
    const database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const db = await openPool(database.url, 1, () => {});
    const age = `case a when 'young' then now() - interval '23 hours' else now() - interval '25 hours' end`;
    await client.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
      insert into app_secrets (id, app_id, digest, hint) values ('sec_1', 'app_1', 'd', '');
      insert into webhook_endpoints (id, owner, url, events) values ('whe_1', 'app_1', 'https://example.com', '{*}');
      insert into users (id, app_id, email) select a, 'app_1', a from unnest(array['old', 'young']) a;
      insert into app_tokens (digest, app_id, secret_id, scopes, expires_at)
      select a::bytea, 'app_1', 'sec_1', '{api}', ${age} from unnest(array['old', 'young']) a;
      insert into login_codes (user_id, scope, hmac, attempts_left, expires_at)
      select a, a::bytea, ''::bytea, 1, ${age} from unnest(array['old', 'young']) a;
      insert into password_resets (app_id, email, digest, expires_at)
      select 'app_1', a, a::bytea, ${age} from unnest(array['old', 'young']) a;
      insert into webhook_secrets (id, endpoint_id, sealed, expires_at)
      select a, 'whe_1', ''::bytea, ${age} from unnest(array['old', 'young']) a
      union all
      select 'signing', 'whe_1', ''::bytea, null;
      insert into stream_tickets (digest, owner, caller, credentials, expires_at)
      values (sha256('old'), 'app_1', 'x', '{x}', now() - interval '1 s'), (sha256('young'), 'app_1', 'x', '{x}', now() + interval '1 s');
      insert into known_addresses (account, address, seen_at)
      values ('old', '', now() - interval '181 days'), ('young', '', now() - interval '179 days')`);

    await forgetExpired(db, 1_000);
    await db.end();

    const { rows } = await client.query(`
      select 'app_tokens' as kept, convert_from(digest, 'utf8') as name from app_tokens
      union all select 'login_codes', user_id from login_codes
      union all select 'password_resets', email from password_resets
      union all select 'webhook_secrets', id from webhook_secrets
      union all select 'stream_tickets', case digest when sha256('young') then 'young' end from stream_tickets
      union all select 'known_addresses', account from known_addresses
      order by kept, name`);
    await client.end();
    await database.drop();
    expect(rows.map(({ kept, name }) => `${kept}: ${name}`)).to.deep.equal([
      'app_tokens: young',
      'known_addresses: young',
      'login_codes: young',
      'password_resets: young',
      'stream_tickets: young',
      'webhook_secrets: signing',
      'webhook_secrets: young',
    ]);
  });

  it('runs again at once while rows are left, since callers may create more in an hour than one run deletes', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    await db.query(sql.unsafe`
      insert into throttles (name, subject, budget, base, longest, ends_at, forget_at)
      select 'login', sha256(n::text::bytea), 1, '1 min', '1 min', now(), now() - interval '1 s' from generate_series(1, 2500) n`);
    const next = () =>
      db.anyFirst(sql.type(z.object({ key: z.string() }))`
        select key from queue_jobs where task = 'housekeeping/forget' and run_at <= now()`);
    const signal = new AbortController().signal;

    await forget({ db, stopping: AbortSignal.abort() }, 1);
    const stopped = await next();
    await forget({ db, stopping: signal }, 1);
    const unfinished = await next();
    await db.query(sql.unsafe`delete from queue_jobs`);
    await forget({ db, stopping: signal });
    const finished = await next();
    const left = await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*)::integer n from throttles`);
    await db.end();
    await database.drop();

    expect([stopped, unfinished, finished]).to.deep.equal([[], ['forget'], []]);
    expect(left).to.equal(0);
  });
});
