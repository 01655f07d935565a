import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { forgetExpired } from '../../src/capabilities/users/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/postgres.ts';

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
      values ('signals:now', array[now()]), ('signals:before', array[now() - interval '2 hours']), ('signals:never', '{}')`);

    const first = await forgetExpired(db, 2);
    const second = await forgetExpired(db, 1_000);
    const users = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from users order by id`);
    const codes = await db.anyFirst(sql.type(z.object({ email: z.string() }))`select email from one_time_codes`);
    const paces = await db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from paces`);
    const kept = await db.anyFirst(
      sql.type(z.object({ subject: z.string() }))`select convert_from(subject, 'utf8') as subject from throttles`,
    );
    await db.end();
    await database.drop();

    expect([first, second]).to.deep.equal([2, 0]);
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

    expect(taken).to.equal(1);
    expect(users).to.deep.equal(['usr_daily']);
    expect(signUps).to.equal(30);
  });
});
