import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { findSalt, isKnownAddress, isResetToken, readLogin } from '../../src/capabilities/users/queries.ts';
import { userFinder } from '../../src/capabilities/users/sessions/commands.ts';
import { findSessionByToken, isSessionOf, listSessionsOf } from '../../src/capabilities/users/sessions/queries.ts';
import type { DbPool } from '../../src/db/pool.ts';
import type { AppId } from '../../src/kernel/ids.ts';
import { digest } from '../../src/kernel/ids.ts';
import type { App } from '../../src/kernel/principal.ts';
import { openRows, type Rows } from '../support/rows.ts';

const hex = (text: string) => `\\x${digest(text).toString('hex')}`;
const HOME = digest('home');
const PAGE = { cursor: null, limit: 10 };
const [ANN, BOB, NAMESAKE] = ['app_aann@x', 'app_abob@x', 'app_bann@x'] as const;

/** Users that share an address or an app: what concerns one of them must leave the others alone. */
describe('a user among the rows of others', () => {
  let rows: Rows;
  let db: DbPool;
  const run: Rows['run'] = (...args) => rows.run(...args);
  const session = (id: string, user: string, seen = '30 seconds', expires = '1 hour', revoked = 'null') =>
    run(
      `insert into user_sessions (id, digest, user_id, seen_at, expires_at, revoked_at)
       values ($1, $2, $3, now() - interval '${seen}', now() + interval '${expires}', ${revoked})`,
      ...[id, hex(id), user],
    );
  const app = { owner: 'app_a' } as App; // as: the finder needs no more of it
  before(async () => {
    rows = await openRows();
    db = rows.db;
    for (const id of ['app_a', 'app_b']) {
      await run(`insert into apps (id, slug, name, allowed_scopes) values ($1, $1, $1, '{trading}')`, id);
      for (const email of ['ann@x', 'bob@x'])
        await run(
          `insert into users (id, app_id, email, password_salt) values ($1 || $2, $1, $2::text, ($1 || $2)::bytea)`,
          ...[id, email],
        );
    }
    await session('live', ANN);
    await session('unused for a while', ANN, '2 minutes');
    await session('idle', ANN, '8 days');
    await session('expired', ANN, '30 seconds', '-1 second');
    await session('revoked', ANN, '30 seconds', '1 hour', 'now()');
    await session('of bob', BOB);
    await session('of another app', NAMESAKE);
  });
  after(() => rows.close());

  it('a session of the app that is in use, and says when it was', async () => {
    const names = ['live', 'unused for a while', 'idle', 'expired', 'revoked', 'of another app', 'unknown'];
    const found = await Promise.all(names.map((name) => userFinder(db)(name, app)));
    const noted = await db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from user_sessions where seen_at > now() - interval '15 seconds'`);

    expect(found.map((one) => one?.sessionId ?? null)).to.deep.equal([
      ...names.slice(0, 2),
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(noted).to.deep.equal(['unused for a while']);
  });

  it('a session by its token, whatever its state, and listed for its user while it lives', async () => {
    expect(await findSessionByToken(db, 'app_a', 'revoked')).to.deep.equal({ session_id: 'revoked', user_id: ANN });
    expect(await findSessionByToken(db, 'app_a', 'of another app')).to.equal(null);
    const listed = await listSessionsOf(db, ANN, PAGE);
    expect(listed.map(({ session_id }) => session_id)).to.have.members(['live', 'unused for a while']);
    expect(await isSessionOf(db, ANN, 'revoked')).to.equal(true);
    expect(await isSessionOf(db, ANN, 'of bob')).to.equal(false);
  });

  it('the password of this address at this app, at networks known for this user', async () => {
    await run(`insert into sign_ups (user_id, password_hash) values ($1, 'of ann'), ($2, 'of bob')`, ANN, BOB);
    await run(
      `insert into known_addresses (account, address) values ($1, $2), ($3, $4)`,
      ANN,
      hex('home'),
      BOB,
      hex('work'),
    );

    const login = await readLogin(db, 'app_a', 'ann@x', HOME);
    const [atWork, ofBob] = [
      await readLogin(db, 'app_a', 'ann@x', digest('work')),
      await readLogin(db, 'app_a', 'bob@x', HOME),
    ];

    expect(login).to.deep.include({ id: ANN, sign_up_hashes: ['of ann'], is_known_address: true });
    expect([atWork.is_known_address, ofBob.is_known_address]).to.deep.equal([false, false]);
    expect([await isKnownAddress(db, ANN, HOME), await isKnownAddress(db, BOB, HOME)]).to.deep.equal([true, false]);
    expect(await isKnownAddress(db, ANN, digest('work'))).to.equal(false);
    expect((await findSalt(db, 'app_b', 'bob@x'))?.toString()).to.equal('app_bbob@x');
    expect((await readLogin(db, 'app_a', 'nobody@x', HOME)).id).to.equal(null);
  });

  it('the reset token of this address at this app, while it is neither used nor expired', async () => {
    const of = (appId: string, email: string, token: string) =>
      isResetToken(db, { appId: appId as AppId, email }, digest(token)); // as: ids of the test
    const issued = (app: string, email: string, user: string | null, expires: string, used = 'null') =>
      run(
        `insert into password_resets (app_id, email, user_id, digest, expires_at, used_at)
         values ($1, $2::text, nullif($3, ''), $4::bytea, now() + interval '${expires}', ${used})`,
        ...[app, email, user ?? '', hex('token')],
      );
    await issued('app_a', 'ann@x', ANN, '1 hour');
    await issued('app_a', 'bob@x', BOB, '1 hour', 'now()');
    await issued('app_b', 'ann@x', NAMESAKE, '-1 second');
    await issued('app_b', 'nobody@x', null, '1 hour');

    expect(await of('app_a', 'ann@x', 'token')).to.equal(true);
    expect(await of('app_a', 'ann@x', 'another')).to.equal(false);
    expect(await of('app_a', 'other@x', 'token'), 'of another address').to.equal(false);
    expect(await of('app_c', 'ann@x', 'token'), 'of another app').to.equal(false);
    expect(await of('app_a', 'bob@x', 'token'), 'used').to.equal(false);
    expect(await of('app_b', 'ann@x', 'token'), 'expired').to.equal(false);
    expect(await of('app_b', 'nobody@x', 'token'), 'of nobody').to.equal(false);
  });
});
