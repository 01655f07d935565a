import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readAdmin } from '../../src/capabilities/admin/queries.ts';
import { adminFinder } from '../../src/capabilities/admin/sessions/commands.ts';
import { lockSeed } from '../../src/capabilities/admin/totp/commands.ts';
import { appFinder, clientFinder, originFinder } from '../../src/capabilities/apps/queries.ts';
import { issueToken, revokeToken } from '../../src/capabilities/apps/tokens/commands.ts';
import { partnerFinder } from '../../src/capabilities/partners/queries.ts';
import { ticketFinder } from '../../src/capabilities/streams/tickets/commands.ts';
import { traderFinder } from '../../src/capabilities/trading/keys/commands.ts';
import { isKeyOf, listKeys } from '../../src/capabilities/trading/keys/queries.ts';
import type { DbPool } from '../../src/db/pool.ts';
import { digest } from '../../src/kernel/ids.ts';
import type { App } from '../../src/kernel/principal.ts';
import { openRows, type Rows } from '../support/rows.ts';

const hex = (text: string) => `\\x${digest(text).toString('hex')}`;
const HOME = digest('home');
const PAGE = { cursor: null, limit: 10 };

/** Of every kind of credential, rows that differ from a valid one in one thing: that alone must make them invalid. */
describe('a credential among the rows of others', () => {
  let rows: Rows;
  let db: DbPool;
  const run: Rows['run'] = (...args) => rows.run(...args);
  before(async () => {
    rows = await openRows();
    db = rows.db;
    for (const [id, off] of [
      ['app_a', 'null'],
      ['app_b', 'null'],
      ['app_off', 'now()'],
    ] as const) {
      await run(
        `insert into apps (id, slug, name, allowed_scopes, allowed_origins, disabled_at)
         values ($1, $1, $1, '{trading}', array['https://' || $1::text], ${off})`,
        id,
      );
      for (const email of ['ann@x', 'bob@x'])
        await run(
          `insert into users (id, app_id, email, password_salt) values ($1 || $2, $1, $2::text, ($1 || $2)::bytea)`,
          ...[id, email],
        );
    }
  });
  after(() => rows.close());

  describe('of an app', () => {
    const secret = (id: string, app: string, expires: string) =>
      run(
        `insert into app_secrets (id, app_id, digest, hint, expires_at, superseded_at) values ($1, $2, $3, '', ${expires}, ${expires})`,
        id,
        app,
        hex(id),
      );
    const token = (id: string, app: string, of: string, expires: string) =>
      run(
        `insert into app_tokens (digest, app_id, secret_id, scopes, expires_at) values ($1, $2, $3, '{trading}', ${expires})`,
        ...[hex(id), app, of],
      );
    const LATER = `now() + interval '1 hour'`;
    const GONE = `now() - interval '1 second'`;
    let app: App;
    before(async () => {
      await secret('live', 'app_a', 'null');
      await secret('overlapping', 'app_a', LATER);
      await secret('ended', 'app_a', GONE);
      await secret('disabled', 'app_off', 'null');
      await token('t live', 'app_a', 'live', LATER);
      await token('t overlapping', 'app_a', 'overlapping', LATER);
      await token('t expired', 'app_a', 'live', GONE);
      await token('t of ended', 'app_a', 'ended', LATER);
      await token('t disabled', 'app_off', 'disabled', LATER);
      await token('t other', 'app_b', 'live', LATER);
      app = (await clientFinder(db)('app_a', 'live')) as App; // as: the next test is about it
    });

    it('is a secret that has not ended, of an active app', async () => {
      const find = clientFinder(db);

      expect((await find('app_a', 'live'))?.secretId).to.equal('live');
      expect((await find('app_a', 'overlapping'))?.secretId).to.equal('overlapping');
      expect(await find('app_a', 'ended')).to.equal(null);
      expect(await find('app_a', 'unknown')).to.equal(null);
      expect(await find('app_b', 'live'), 'of another app').to.equal(null);
      expect(await find('app_off', 'disabled')).to.equal(null);
    });

    it('is a token that has not ended, of a secret that has not', async () => {
      const tokens = ['t live', 't overlapping', 't expired', 't of ended', 't disabled', 'unknown'];
      const found = await Promise.all(tokens.map(appFinder(db)));

      expect(found.map((one) => one?.secretId ?? null)).to.deep.equal(['live', 'overlapping', null, null, null, null]);
    });

    it('is issued by a secret that has not ended, and revoked by its app alone', async () => {
      await issueToken(db, app, []);
      await issueToken(db, { ...app, secretId: 'overlapping' }, []);
      const rejected = await issueToken(db, { ...app, secretId: 'ended' }, []).catch((fault) => fault.code);
      await revokeToken(db, app, 't other');
      await revokeToken(db, app, 't expired');

      expect(rejected).to.equal('V2_INVALID_CREDENTIALS');
      expect(await appFinder(db)('t other')).to.include({ owner: 'app_b' });
      expect(await appFinder(db)('t live')).to.include({ owner: 'app_a' });
    });

    it('allows the origins of active apps', async () => {
      expect([...(await originFinder(db)())]).to.have.members(['https://app_a', 'https://app_b']);
    });
  });

  it('of a partner is a key that is neither revoked nor at the end of its overlap, of one that is not disabled', async () => {
    await run(`insert into partners (id, name, disabled_at) values ('p', 'p', null), ('off', 'off', now())`);
    for (const [key, of, revoked] of [
      ['live', 'p', 'null, null'],
      ['overlapping', 'p', `null, now() + interval '1 minute'`],
      ['ended', 'p', 'null, now()'],
      ['revoked', 'p', 'now(), null'],
      ['disabled', 'off', 'null, null'],
    ] as const)
      await run(
        `insert into partner_keys (id, partner_id, digest, hint, revoked_at, expires_at) values ($1, $2, $3, '', ${revoked})`,
        ...[key, of, hex(key)],
      );
    const keys = ['live', 'overlapping', 'ended', 'revoked', 'disabled', 'unknown'];
    const found = await Promise.all(keys.map(partnerFinder(db, () => false).find));

    expect(found.map((one) => one?.owner ?? null)).to.deep.equal(['p', 'p', null, null, null, null]);
    await run(`update partner_keys set expires_at = now() + interval '300 ms' where id = 'overlapping'`);
    const { find } = partnerFinder(db, () => true);
    const before = await find('overlapping');
    await sleep(400);
    expect([before?.owner, await find('overlapping')], 'known no longer than the key').to.deep.equal(['p', null]);
  });

  it('of a stream is a ticket that is neither used nor expired, of the right kind, whose credentials are valid', async () => {
    const ticket = (id: string, credential: string, expires = '1 minute') =>
      run(
        `insert into stream_tickets (digest, owner, caller, credentials, expires_at)
         values ($1::bytea, 'p', 'caller', array[$2::text], now() + interval '${expires}')`,
        ...[hex(id), credential],
      );
    await ticket('valid', 'good');
    await ticket('expired', 'good', '-1 second');
    await ticket('of an ended key', 'bad');
    await ticket('of the other kind', 'good');
    const invalid = { invalid: async (given: string[]) => given.filter((each) => each === 'bad') };
    const find = ticketFinder(db, 'partner', invalid);

    expect(await ticketFinder(db, 'account', invalid)('of the other kind')).to.equal(null);
    expect(await find('of the other kind')).to.include({ kind: 'ticket', owner: 'p', propAccountId: null });
    const found = await Promise.all(['valid', 'valid', 'expired', 'of an ended key', 'unknown'].map(find));
    expect(found.filter(Boolean)).to.have.length(1);
    expect(found.slice(2)).to.deep.equal([null, null, null]);
    expect(await run('select from stream_tickets')).to.equal(0);
  });

  describe('of an operator', () => {
    before(async () => {
      await run(`insert into admins (id, email, password_hash, disabled_at, totp_seed, totp_step, totp_enrolled_at) values
        ('op', 'op', 'h', null, 'seed', null, null), ('second', 'second', 'h', null, 'seed', 1, now()), ('off', 'off', 'h', now(), null, null, null)`);
      const session = (id: string, of: string, seen: string, expires = '1 hour', revoked = 'null') =>
        run(
          `insert into admin_sessions (id, digest, admin_id, seen_at, expires_at, revoked_at)
           values ($1, $2, $3, now() - interval '${seen}', now() + interval '${expires}', ${revoked})`,
          ...[id, hex(id), of],
        );
      await session('live', 'op', '20 seconds');
      await session('unused for a while', 'op', '2 minutes');
      await session('idle', 'op', '31 minutes');
      await session('expired', 'op', '20 seconds', '-1 second');
      await session('revoked', 'op', '20 seconds', '1 hour', 'now()');
      await session('disabled', 'off', '20 seconds');
    });

    it('is a session in use of one who is not disabled, and says when it was', async () => {
      const names = ['live', 'unused for a while', 'idle', 'expired', 'revoked', 'disabled', 'unknown'];
      const found = await Promise.all(names.map(adminFinder(db)));
      const noted = await db.anyFirst(sql.type(z.object({ id: z.string() }))`
        select id from admin_sessions where seen_at > now() - interval '10 seconds'`);

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

    it('is the password of this address, at networks known for this operator, and the seed, confirmed or not', async () => {
      await run(
        `insert into known_addresses (account, address) values ('op', $1), ('second', $2)`,
        hex('home'),
        hex('work'),
      );

      expect(await readAdmin(db, 'op', HOME)).to.include({ id: 'op', is_known_address: true });
      expect(await readAdmin(db, 'op', digest('work'))).to.include({ id: 'op', is_known_address: false });
      expect(await readAdmin(db, 'second', HOME)).to.include({ id: 'second', is_known_address: false });
      expect((await readAdmin(db, 'off', HOME)).id).to.equal(null);
      expect(await lockSeed(db, 'op')).to.include({ is_enrolled: false });
      expect((await lockSeed(db, 'op')).totp_seed?.toString()).to.equal('seed');
      expect(await lockSeed(db, 'second')).to.include({ is_enrolled: true });
    });
  });

  it('of a trader is a key that is not revoked, of an app that is not disabled, listed for its user', async () => {
    await run(
      `insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'm', 'crypto', 1, 0)`,
    );
    const key = async (id: string, app: string, user: string, revoked = 'null') => {
      await run(
        `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
         values ($1, $2, $3, 'tier_x', 'm', 'crypto', 1, 'provisioning')
         on conflict do nothing`,
        ...[`${app}${user}`, app, `${app}${user}`],
      );
      await run(
        `insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id, revoked_at) values ($1, $1, $2, '', $3, $4, $4, ${revoked})`,
        ...[id, hex(id), app, `${app}${user}`],
      );
    };
    await key('live', 'app_a', 'ann@x');
    await key('unused', 'app_a', 'ann@x');
    await key('revoked', 'app_a', 'ann@x', 'now()');
    await key('of bob', 'app_a', 'bob@x');
    await key('disabled', 'app_off', 'ann@x');
    const found = await Promise.all(['live', 'revoked', 'of bob', 'disabled', 'unknown'].map(traderFinder(db)));
    const used = await db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from trader_keys where last_used_at is not null`);
    const listed = await listKeys(db, 'app_a', 'app_aann@x', PAGE);

    expect(found.map((one) => one?.keyId ?? null)).to.deep.equal(['live', null, 'of bob', null, null]);
    expect(used).to.have.members(['live', 'of bob']);
    expect(listed.map(({ id }) => id)).to.have.members(['live', 'unused', 'revoked']);
    expect(await isKeyOf(db, 'app_a', 'app_aann@x', 'revoked')).to.equal(true);
    expect(await isKeyOf(db, 'app_a', 'app_aann@x', 'of bob')).to.equal(false);
  });
});
