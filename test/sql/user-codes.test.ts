import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { openPeople, type People } from '../support/people.ts';

const LIVES_S = 60;

describe('codes by mail of one user', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
  });
  after(() => people.close());
  beforeEach(() => people.renew());
  const run: People['run'] = (...args) => people.run(...args);
  const ask: People['ask'] = (...args) => people.ask(...args);

  const unverified = (id: string) => run('update users set password_hash = null, verified_at = null where id = $1', id);
  const codes = async () =>
    Object.fromEntries(
      (
        await people.db.any(sql.type(z.object({ of: z.string(), hmac: z.string().nullable() }))`
          select email || '@' || app_id as of, convert_from(hmac, 'utf8') as hmac from one_time_codes`)
      ).map(({ of, hmac }) => [of, hmac]),
    );
  const code = (app: string, email: string, more = `5, now() + interval '1 hour', null`) =>
    run(
      `insert into one_time_codes (app_id, email, hmac, attempts_left, expires_at, used_at) values ($1, $2, 'right', ${more})`,
      app,
      email,
    );

  it('renew_code and sign_up set one that matches for an unverified user only', async () => {
    await unverified('ann@a');
    const renew = (app: string, email: string) =>
      ask(`renew_code($1, $2, 'new', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')::text`, app, email);
    for (const [app, email] of [
      ['a', 'ann'],
      ['a', 'bob'],
      ['b', 'ann'],
      ['b', 'nobody'],
    ] as const)
      await renew(app, email);
    expect(await codes()).to.deep.equal({ 'ann@a': 'new', 'bob@a': null, 'ann@b': null, 'nobody@b': null });

    const signUp = (app: string, email: string) =>
      ask(
        `sign_up($1, $2, '${newIntentId()}', 'salt', 'mine', 'again', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')`,
        app,
        email,
      );
    expect([await signUp('a', 'ann'), await signUp('a', 'bob'), await signUp('b', 'ann')]).to.deep.equal([
      'ann@a',
      'bob@a',
      'ann@b',
    ]);
    expect(await codes()).to.deep.include({ 'ann@a': 'again', 'bob@a': null, 'ann@b': null });
  });

  it('are mailed with a word about other passwords once sign-ups gave two', async () => {
    const words = [];
    for (const hash of ['one', 'two']) {
      await run(`insert into sign_ups (user_id, password_hash) values ('ann@a', $1), ('bob@a', $1)`, hash);
      await run(`delete from sign_ups where user_id = 'bob@a' and password_hash = 'one'`);
      words.push(await ask(`array[code_template('ann@a'), code_template('bob@a')]`));
    }

    expect(words).to.deep.equal([
      ['verify_email', 'verify_email'],
      ['verify_email_again', 'verify_email'],
    ]);
  });

  it('try_code counts for the one of this app and address, unless it is used, spent or expired', async () => {
    const attempt = (app: string, email: string) =>
      ask(`try_code($1, $2, array['right'::bytea], 5, 'net')`, app, email);
    for (const [app, email] of [
      ['a', 'ann'],
      ['a', 'bob'],
      ['b', 'ann'],
    ] as const)
      await code(app, email);
    expect(await attempt('a', 'ann')).to.equal('verified');
    const counted = await people.db.anyFirst(sql.type(z.object({ of: z.string() }))`
        select email || '@' || app_id as of from one_time_codes where attempts_left < 5`);
    expect(counted).to.deep.equal(['ann@a']);
    for (const [state, set] of [
      ['used', 'used_at = now()'],
      ['spent', 'attempts_left = 0'],
      ['expired', 'expires_at = now()'],
    ] as const) {
      await run(`update one_time_codes set used_at = null, attempts_left = 5, expires_at = now() + interval '1 hour'`);
      await run(`update one_time_codes set ${set}`);
      expect(await attempt('b', 'ann').catch(() => 'below zero'), state).to.equal('expired');
    }
  });

  it('a new one has all its attempts, whatever was tried of the one before', async () => {
    await unverified('ann@a');
    await code('a', 'ann', `0, now(), now()`);
    await run(`update one_time_codes set tries = jsonb_build_object(encode('net', 'hex'), 5)`);
    await run(
      `insert into login_codes (user_id, scope, hmac, attempts_left, expires_at) values ('bob@a', 'home', 'old', 0, now())`,
    );

    await ask(`renew_code('a', 'ann', 'right', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')::text`);
    await ask(`renew_login_code('bob@a', 'home', 'right', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')::text`);

    const tried = [
      await ask(`try_code('a', 'ann', array['wrong'::bytea], 2, 'net')`),
      await ask(`try_code('a', 'ann', array['right'::bytea], 2, 'net')`),
      await ask(`try_login_code('bob@a', 'home', array['right'::bytea])`),
    ];
    expect(tried).to.deep.equal(['wrong', 'verified', true]);
  });

  it('verify_by_code verifies the user of this app and address, with the password of its sign-ups', async () => {
    for (const id of ['ann@a', 'bob@a', 'ann@b']) {
      await unverified(id);
      await run(`insert into sign_ups (user_id, password_hash) values ($1, 'chosen')`, id);
    }
    for (const [app, email] of [
      ['a', 'ann'],
      ['a', 'bob'],
      ['b', 'ann'],
    ] as const)
      await code(app, email);
    const verify = (app: string, email: string, session: string, entered = 'right') =>
      ask(
        `(select v from verify_by_code($1, $2, array['${entered}'::bytea], '${session}', '${session}', ${LIVES_S}, '', 'net') v)::text`,
        app,
        email,
      );
    await verify('b', 'ann', 'n');

    const verified = await people.db.any(sql.type(z.object({ id: z.string(), password_hash: z.string() }))`
        select id, password_hash from users where verified_at is not null`);
    const waiting = await people.db.anyFirst(sql.type(z.object({ user_id: z.string() }))`select user_id from sign_ups`);
    expect(verified).to.deep.equal([{ id: 'ann@b', password_hash: 'chosen' }]);
    expect(waiting).to.have.members(['ann@a', 'bob@a']);
    await verify('a', 'bob', 'of bob');
    expect(await run(`select from user_sessions where id = 'of bob' and user_id = 'bob@a'`)).to.equal(1);
    for (const [state, set, entered] of [
      ['another code', '', 'wrong'],
      ['used', 'used_at = now()', 'right'],
      ['expired', 'expires_at = now()', 'right'],
    ] as const) {
      await run(`update one_time_codes set used_at = null, expires_at = now() + interval '1 hour'`);
      if (set) await run(`update one_time_codes set ${set}`);
      await verify('a', 'ann', state, entered);
      expect(await run(`select from user_sessions where id = $1`, state), state).to.equal(0);
    }
    await run(`update one_time_codes set used_at = null, expires_at = now() + interval '1 hour'`);
    await verify('b', 'ann', 'again');
    expect(await run(`select from user_sessions where id = 'again'`), 'a verified user').to.equal(0);
  });

  it('try_login_code counts for one user and network, until it is spent or expired', async () => {
    const left = (id: string, scope: string, more = `5, now() + interval '1 hour'`) =>
      run(
        `insert into login_codes (user_id, scope, hmac, attempts_left, expires_at) values ($1, $2::text::bytea, 'right', ${more})`,
        id,
        scope,
      );
    const attempt = (id: string, scope: string) =>
      ask(`try_login_code($1, $2::text::bytea, array['right'::bytea])`, id, scope);
    await left('ann@a', 'home');
    await left('ann@a', 'work');
    await left('bob@a', 'home');
    await left('bob@a', 'spent', `0, now() + interval '1 hour'`);
    await left('bob@a', 'expired', '5, now()');

    expect(await attempt('ann@a', 'home')).to.equal(true);
    const counted = await run('select from login_codes where attempts_left = 4');
    expect(counted).to.equal(1);
    expect(await attempt('bob@a', 'spent').catch(() => 'below zero')).to.equal(false);
    expect(await attempt('bob@a', 'expired')).to.equal(false);
  });
});
