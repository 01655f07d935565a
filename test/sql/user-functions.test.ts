import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { openPeople, type People } from '../support/people.ts';

const LIVES_S = 60;
const person = z.object({
  id: z.string(),
  password_hash: z.string().nullable(),
  is_verified: z.boolean(),
  has_seed: z.boolean(),
  sessions: z.number(),
  keys: z.number(),
});

describe('what is done to one user', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
  });
  after(() => people.close());
  beforeEach(() => people.renew());
  const run: People['run'] = (...args) => people.run(...args);
  const ask: People['ask'] = (...args) => people.ask(...args);

  const BEFORE = ['password_hash,h', 'is_verified,true', 'has_seed,true', 'sessions,2', 'keys,2'];
  /** What has changed of whom. */
  const changes = async () => {
    const now = await people.db.any(sql.type(person)`
      select u.id, u.password_hash, u.verified_at is not null as is_verified, u.totp_seed is not null as has_seed,
        (select count(*) from user_sessions s where s.user_id = u.id and s.revoked_at is null)::integer as sessions,
        (select count(*) from trader_keys k where k.user_id = u.id and k.revoked_at is null)::integer as keys
      from users u`);
    const changed: Record<string, object> = {};
    for (const { id, ...state } of now) {
      const other = Object.entries(state).filter((one) => !BEFORE.includes(String(one)));
      if (other.length > 0) changed[id] = Object.fromEntries(other);
    }
    return changed;
  };

  describe('remove_session', () => {
    it('ends it, and what was made in it', async () => {
      await ask('remove_session($1, $2)::text', 'ann@a', 's ann@a');

      expect(await changes()).to.deep.equal({ 'ann@a': { sessions: 1, keys: 1, has_seed: false } });
    });

    it('leaves an authenticator that a log-in has used, and the time at which a key was revoked', async () => {
      await run(
        `update users set totp_enabled_at = now() - interval '1 minute', totp_step = 1, password_proven_at = now()`,
      );
      await run(`update trader_keys set revoked_at = '2020-01-01'`);
      await ask('remove_session($1, $2)::text', 'ann@a', 's ann@a');

      const revoked = await run(`select from trader_keys where user_id = 'ann@a' and revoked_at = '2020-01-01'`);
      expect((await changes())['ann@a'])
        .to.deep.include({ sessions: 1 })
        .and.not.to.have.property('has_seed');
      expect(revoked).to.equal(2);
    });
  });

  describe('confirm_reset', () => {
    const reset = (token: string, app = 'a', address = 'ann') =>
      ask(
        `confirm_reset($1, $2, $3::text::bytea, 'new', 'net', '${newIntentId()}', ${LIVES_S})`,
        ...[app, address, token],
      );
    beforeEach(() =>
      run(`insert into password_resets (app_id, email, user_id, digest, expires_at) values
        ('a', 'ann', 'ann@a', 'token', now() + interval '1 hour'), ('a', 'bob', 'bob@a', 'token', now() + interval '1 hour'),
        ('b', 'ann', 'ann@b', 'token of b', now() + interval '1 hour')`),
    );

    it('changes one user’s password, and ends that user’s sessions, keys, seed and codes', async () => {
      await run(`insert into one_time_codes (app_id, email, attempts_left, expires_at) values
        ('a', 'ann', 5, now()), ('a', 'bob', 5, now()), ('b', 'ann', 5, now())`);

      expect(await reset('token')).to.equal('ann@a');

      const codes = await people.db.anyFirst(sql.type(z.object({ of: z.string() }))`
        select email || '@' || app_id as of from one_time_codes where attempts_left = 0`);
      expect(codes).to.deep.equal(['ann@a']);
      expect(await changes()).to.deep.equal({
        'ann@a': { password_hash: 'new', sessions: 0, keys: 0, has_seed: false },
      });
      expect(await run(`select from known_addresses where account = 'ann@a' and address = 'net'`)).to.equal(1);
      expect(await run(`select from events where type = 'user.verified'`), 'verified before').to.equal(0);
    });

    it('leaves an authenticator that a log-in has used, and the time at which a key was revoked', async () => {
      await run(
        `update users set totp_enabled_at = now() - interval '1 minute', totp_step = 1, password_proven_at = now()`,
      );
      await run(`update trader_keys set revoked_at = '2020-01-01' where user_id = 'ann@a'`);
      await reset('token');

      const revoked = await run(`select from trader_keys where user_id = 'ann@a' and revoked_at = '2020-01-01'`);
      expect((await changes())['ann@a']).to.not.have.property('has_seed');
      expect(revoked).to.equal(2);
    });

    it('takes no token of another address or app, nor one that is used or expired', async () => {
      expect(await reset('token', 'a', 'nobody')).to.equal(null);
      expect(await reset('token', 'b')).to.equal(null);
      expect(await reset('token of b')).to.equal(null);
      await run(`update password_resets set used_at = now() where email = 'ann'`);
      expect(await reset('token'), 'used').to.equal(null);
      await run(`update password_resets set used_at = null, expires_at = now()`);
      expect(await reset('token'), 'expired').to.equal(null);
      expect(await changes()).to.deep.equal({});
    });
  });

  it('request_reset makes a token that is good, also where one was used before', async () => {
    const renewed = () => ask(`request_reset('a', 'ann', 'again', ${LIVES_S}, '${newIntentId()}', 'sealed')::text`);
    const used = () => run(`update password_resets set used_at = now() where app_id = 'a' and email = 'ann'`);
    await renewed();
    await used();
    await renewed();

    const good = await run(
      `select from password_resets where user_id = 'ann@a' and digest = 'again' and used_at is null`,
    );
    expect(good).to.equal(1);
  });

  it('reauthenticate proves the password in a session of this user alone', async () => {
    await run(`update user_sessions set proven_at = null`);
    for (const session of ['s ann@a', 's bob@a', 's ann@b'])
      await ask(`reauthenticate('ann@a', 'h', null, null, $1)::text`, session);

    const proven = await people.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from user_sessions where proven_at is not null`);
    expect(proven).to.deep.equal(['s ann@a']);
  });

  it('log_in opens a session in which the password is proven, and knows the address from then on', async () => {
    await ask(`log_in('ann@a', 'h', null, null, 'new', 'new', ${LIVES_S}, '', 'home')::text`);

    expect(
      await run(`select from user_sessions where id = 'new' and user_id = 'ann@a' and proven_at is not null`),
    ).to.equal(1);
    expect(await run(`select from known_addresses where account = 'ann@a' and address = 'home'`)).to.equal(1);
    expect(await run(`select from users where id = 'ann@a' and password_proven_at is not null`)).to.equal(1);
  });

  it('request_reset makes a token for the user of this app and address', async () => {
    for (const [app, email] of [
      ['a', 'bob'],
      ['b', 'ann'],
      ['a', 'nobody'],
    ] as const)
      await ask(`request_reset($1, $2, 'x', ${LIVES_S}, '${newIntentId()}', 'sealed')::text`, app, email);

    const made = await people.db.any(sql.type(
      z.object({ app_id: z.string(), email: z.string(), user_id: z.string().nullable() }),
    )`
      select app_id, email, user_id from password_resets order by 1, 2`);
    expect(made.map(({ user_id }) => user_id)).to.deep.equal(['bob@a', null, 'ann@b']);
  });

  it('prove_password needs the code of an authenticator that is enabled, and a verified address', async () => {
    const prove = (user: string, step: string) => ask(`prove_password($1, 'h', null, ${step})`, user);
    await run(`update users set totp_enabled_at = now(), totp_step = 5 where id = 'bob@a'`);
    await run(`update users set password_hash = null, verified_at = null where id = 'ann@b'`);

    expect(await prove('ann@a', 'null')).to.equal(true);
    expect(await prove('ann@a', '6'), 'a code without an authenticator').to.equal(false);
    expect([await prove('bob@a', 'null'), await prove('bob@a', '5'), await prove('bob@a', '6')]).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(await prove('ann@b', 'null')).to.equal(false);
  });
});
