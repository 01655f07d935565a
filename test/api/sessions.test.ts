import { expect } from 'chai';
import { sql } from 'slonik';
import { bearer, type Identity, PASSWORD, startIdentity, type TestApp, type TestUser } from '../support/identity.ts';

describe('user sessions', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  const logIn = (user: TestUser, headers: Record<string, string> = {}) =>
    app.ask('POST', '/v2/auth/login', { json: { email: user.email, password: PASSWORD }, headers });
  const me = (session: string, token = app.token) =>
    service.ask('GET', '/v2/auth/me', { headers: { ...bearer(token), 'X-Session-Token': session } });
  const revoke = (json?: object, session?: string) =>
    app.ask('POST', '/v2/auth/sessions/revoke', {
      ...(json && { json }),
      headers: session ? { 'X-Session-Token': session } : {},
    });

  it('are listed, newest first, the current one marked, with the address reported by the app, and no ended one', async () => {
    const user = await service.user(app);
    await logIn(user, { 'X-End-User-Address': '203.0.113.7' });
    for (const ended of [
      sql.fragment`revoked_at = now()`,
      sql.fragment`expires_at = now()`,
      sql.fragment`seen_at = now() - interval '7 days'`,
    ]) {
      await logIn(user, { 'X-End-User-Address': '203.0.113.9' });
      await service.db.query(sql.unsafe`
        update user_sessions set ${ended}, address = null where address = '203.0.113.9'`);
    }

    const { body } = await user.ask('GET', '/v2/auth/sessions');

    expect(body.map(({ address, current }: { address: string; current: boolean }) => [address, current])).to.deep.equal(
      [
        ['203.0.113.7', false],
        ['127.0.0.1', true],
      ],
    );
    expect((await logIn(user, { 'X-End-User-Address': 'nonsense' })).status).to.equal(422);
  });

  it('end by the current token, or by a token or an id in the body, and an unknown one or that of another user is 404', async () => {
    const user = await service.user(app);
    const outsider = await service.user(app);
    const other = await service.app();
    const [second, third] = [(await logIn(user)).body.session_token, (await logIn(user)).body.session_token];
    const listed = await user.ask('GET', '/v2/auth/sessions');
    const foreign = await outsider.ask('GET', '/v2/auth/sessions');
    const oldest = listed.body.find(({ current }: { current: boolean }) => current).session_id;

    const replies = [
      await revoke(undefined, second),
      await revoke({ session_token: third }),
      await revoke({ session_id: foreign.body[0].session_id }, user.session),
      await other.ask('POST', '/v2/auth/sessions/revoke', { json: { session_token: user.session } }),
    ];

    for (const { body } of replies.slice(0, 2)) expect(body).to.deep.equal({ revoked: true });
    for (const { status, body } of replies.slice(2))
      expect([status, body.error.code]).to.deep.equal([404, 'V2_SESSION_UNKNOWN']);
    expect((await revoke({ session_token: 'sess_nobody' })).status).to.equal(404);
    expect((await revoke({ session_token: third })).body).to.deep.equal({ revoked: true }); // ended already
    expect([(await me(second)).status, (await me(third)).status]).to.deep.equal([401, 401]);
    expect([(await me(user.session)).status, (await me(outsider.session)).status]).to.deep.equal([200, 200]);
    expect((await revoke({ session_id: oldest }, user.session)).status).to.equal(200);
    expect((await me(user.session)).body.error.code).to.equal('V2_SESSION_INVALID');
    expect((await revoke()).body.error.code).to.equal('V2_SESSION_INVALID');
  });

  it('last 30 days, and 7 without use', async () => {
    const idle = await service.user(app);
    const old = await service.user(app);
    const used = await service.user(app);
    const age = (user: TestUser, column: string, by: string) =>
      service.db.query(sql.unsafe`
        update user_sessions
        set ${sql.identifier([column])} = ${sql.identifier([column])} - ${by}::interval
        where user_id = ${user.userId}`);
    const opened = await logIn(used);

    await age(idle, 'seen_at', '7 days');
    await age(old, 'expires_at', '30 days');
    await age(used, 'seen_at', '6 days');
    await me(used.session);
    await age(used, 'seen_at', '6 days');

    expect(Date.parse(opened.body.session_expires_at) - Date.now()).to.be.within(2_591_990_000, 2_592_001_000);
    expect((await me(idle.session)).status).to.equal(401);
    expect((await me(old.session)).status).to.equal(401);
    expect((await me(used.session)).status).to.equal(200);
  });

  it('of one user are at most 100: a log-in ends the one that was used least recently, and one of another user stays', async () => {
    const user = await service.user(app);
    const other = await service.user(app);
    await service.db.query(sql.unsafe`
      insert into user_sessions (id, digest, user_id, seen_at, expires_at)
      select 'uss_' || u || n, sha256((u || n)::bytea), u, now() - interval '1 hour' - n * interval '1 second', now() + interval '1 day'
      from unnest(array[${user.userId}, ${other.userId}]) u, generate_series(1, 120) n`);
    const live = ({ userId }: TestUser) =>
      service.db.oneFirst(sql.unsafe`
        select count(*)::int from user_sessions s where s.user_id = ${userId} and is_live_session(s)`);

    const replies = await Promise.all([logIn(user), logIn(user)]);

    expect([await live(user), await live(other)]).to.deep.equal([100, 121]);
    for (const session of [user.session, ...replies.map(({ body }) => body.session_token)])
      expect((await me(session)).status).to.equal(200);
    const kept = await service.db.oneFirst(sql.unsafe`
      select max(now() - s.seen_at) < interval '1 hour 98 seconds' from user_sessions s where s.user_id = ${user.userId} and is_live_session(s)`);
    expect(kept).to.equal(true);
  });
});
