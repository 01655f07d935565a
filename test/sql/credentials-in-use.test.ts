import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { mintApiKey } from '../../src/capabilities/trading/keys/commands.ts';
import { accountLogReads } from '../../src/capabilities/trading/stream/queries.ts';
import { openPool } from '../../src/db/pool.ts';
import { digest } from '../../src/kernel/ids.ts';
import { freshDatabase } from '../support/postgres.ts';
import { openRows, type Rows } from '../support/rows.ts';

const LATER = `now() + interval '1 hour'`;
const GONE = `now() - interval '1 second'`;
const hexOf = (id: string) => digest(id).toString('hex');

/** Of every kind of credential of streams, rows that differ from a valid one in one thing: that alone ends the stream. */
describe('a stream ends once its credential is', () => {
  let rows: Rows;
  const run: Rows['run'] = (...args) => rows.run(...args);
  before(async () => {
    rows = await openRows();
    for (const [id, scopes, off] of [
      ['app_on', '{trading}', 'null'],
      ['app_off', '{trading}', 'now()'],
      ['app_narrow', '{webhooks}', 'null'],
    ] as const) {
      await run(
        `insert into apps (id, slug, name, allowed_scopes, disabled_at) values ($1, $1, $1, $2::text[], ${off})`,
        ...[id, scopes],
      );
      await run(
        `insert into users (id, app_id, email, password_salt) values ($1 || '_ann', $1, 'ann@x', $1::bytea)`,
        id,
      );
      await run(
        `insert into app_secrets (id, app_id, digest, hint) values ($1 || ' secret', $1, $2::bytea, '')`,
        ...[id, `\\x${hexOf(`${id} secret`)}`],
      );
    }
    await run(
      `insert into app_secrets (id, app_id, digest, hint, superseded_at, expires_at) values
         ('ended', 'app_on', 'ended', '', now(), ${GONE}), ('overlapping', 'app_on', 'overlapping', '', now(), ${LATER})`,
    );
  });
  after(() => rows.close());

  const invalid = async (kind: string, ids: string[]) => {
    const found = await accountLogReads(rows.db).invalid(ids.map((id) => `${kind} ${id}`));
    return ids.filter((id) => found.includes(`${kind} ${id}`));
  };

  it('a token that has expired, or whose secret has; of a disabled app, or one that may no longer trade', async () => {
    const tokens = {
      live: ['app_on', 'app_on secret', LATER],
      'of an overlapping secret': ['app_on', 'overlapping', LATER],
      expired: ['app_on', 'app_on secret', GONE],
      'of an ended secret': ['app_on', 'ended', LATER],
      disabled: ['app_off', 'app_off secret', LATER],
      narrow: ['app_narrow', 'app_narrow secret', LATER],
    } as const;
    for (const [id, [app, secret, expires]] of Object.entries(tokens))
      await run(
        `insert into app_tokens (digest, app_id, secret_id, scopes, expires_at) values ($1, $2, $3, '{trading}', ${expires})`,
        ...[`\\x${hexOf(id)}`, app, secret],
      );
    const ids = [...Object.keys(tokens), 'unknown'];

    const ended = await invalid('token', ids.map(hexOf));

    expect(ended).to.deep.equal(['expired', 'of an ended secret', 'disabled', 'narrow', 'unknown'].map(hexOf));
  });

  it('a session that was ended, has expired, or was not used for 7 days; of a disabled app', async () => {
    const sessions = {
      live: ['app_on', LATER, 'now()', 'null'],
      'used 6 days ago': ['app_on', LATER, `now() - interval '6 days'`, 'null'],
      expired: ['app_on', GONE, 'now()', 'null'],
      idle: ['app_on', LATER, `now() - interval '8 days'`, 'null'],
      ended: ['app_on', LATER, 'now()', 'now()'],
      disabled: ['app_off', LATER, 'now()', 'null'],
    } as const;
    for (const [id, [app, expires, seen, revoked]] of Object.entries(sessions))
      await run(
        `insert into user_sessions (id, digest, user_id, expires_at, seen_at, revoked_at)
         values ($1, $2, $3, ${expires}, ${seen}, ${revoked})`,
        ...[id, `\\x${hexOf(`s ${id}`)}`, `${app}_ann`],
      );
    const idOf = (name: string) => name.split(' ')[0] ?? name;
    await run(`update user_sessions set id = split_part(id, ' ', 1)`);

    const ended = await invalid('session', [...Object.keys(sessions), 'unknown'].map(idOf));

    expect(ended).to.deep.equal(['expired', 'idle', 'ended', 'disabled', 'unknown']);
  });

  it('a key that was revoked; of a disabled app, or one that may no longer trade', async () => {
    for (const [id, app, revoked] of [
      ['live', 'app_on', 'null'],
      ['revoked', 'app_on', 'now()'],
      ['disabled', 'app_off', 'null'],
      ['narrow', 'app_narrow', 'null'],
    ] as const) {
      await run(
        `insert into tiers (id, market, asset_class, account_size, amount_cents, currency)
         values ('tier_demo', 'crypto', 'crypto', 10000, 0, 'usd') on conflict do nothing`,
      );
      await run(
        `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
         values ('prop ' || $1, $1, $2, 'tier_demo', 'crypto', 'crypto', 10000, 'subaccount_failed')
         on conflict do nothing`,
        ...[app, `${app}_ann`],
      );
      await run(
        `insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id, revoked_at)
         values ($1, $1, $2, '', $3, $4, 'prop ' || $3, ${revoked})`,
        ...[id, `\\x${hexOf(`k ${id}`)}`, app, `${app}_ann`],
      );
    }

    expect(await invalid('key', ['live', 'revoked', 'disabled', 'narrow', 'unknown'])).to.deep.equal([
      'revoked',
      'disabled',
      'narrow',
      'unknown',
    ]);
  });
});

describe('credentials that are replaced or made at once', () => {
  it('a secret that was rotated out ends when it was said to, however long the next overlap is', async () => {
    const rows = await openRows();
    await rows.run(`insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{api}')`);
    const rotate = (id: string, overlapS: number) =>
      rows.run(`select rotate_app_secret('app', null, $1, convert_to($1::text, 'UTF8'), '', ${overlapS})`, id);
    await rotate('first', 0);
    await rotate('second', 60);
    await rotate('third', 86_400);

    const left = await rows.db.any(
      sql.type(z.object({ id: z.string(), within: z.boolean() }))`
        select s.id, s.expires_at <= now() + interval '60 seconds' as within
        from app_secrets s
        where s.expires_at is not null
        order by s.id`,
    );
    await rows.close();

    expect(left).to.deep.equal([
      { id: 'first', within: true },
      { id: 'second', within: false },
    ]);
  });

  it('of two keys of one account that are minted at once, the second is counted after the first', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 3, () => {});
    const MOST = 20;
    await db.query(
      sql.unsafe`insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{trading}')`,
    );
    await db.query(
      sql.unsafe`insert into users (id, app_id, email, password_salt) values ('ann', 'app', 'ann@x', 'x')`,
    );
    await db.query(sql.unsafe`
      insert into user_sessions (id, digest, user_id, expires_at) values ('ses', 'ses', 'ann', now() + interval '1 hour')`);
    await db.query(sql.unsafe`
      insert into tiers (id, market, asset_class, account_size, amount_cents, currency)
      values ('tier_demo', 'crypto', 'crypto', 10000, 0, 'usd')`);
    await db.query(sql.unsafe`
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
      values ('prop', 'app', 'ann', 'tier_demo', 'crypto', 'crypto', 10000, 'subaccount_failed')`);
    const user = { owner: 'app', userId: 'ann', sessionId: 'ses' };
    for (let n = 1; n < MOST; n += 1) await mintApiKey(db, user, 'prop', `key ${n}`);
    const outcome = async () =>
      mintApiKey(db, user, 'prop', 'late').then(
        () => 'minted',
        (error) => error.code,
      );
    let later: Promise<string> | undefined;

    await db.transaction(async (tx) => {
      await mintApiKey(tx, user, 'prop', 'last');
      later = outcome();
      const early = await Promise.race([later, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))]);
      expect(early).to.equal('waits');
    });

    expect(await later).to.equal('V2_API_KEY_TOO_MANY');
    await db.end();
    await database.drop();
  });
});
