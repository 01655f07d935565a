import { sql } from 'slonik';
import { z } from 'zod';
import { openRows, type Rows } from './rows.ts';

/** A database with two users of one app, and a namesake of one of them at another app. */
export type People = Rows & {
  /** Resolves to what a call of a SQL function returns. */
  ask(call: string, ...values: string[]): Promise<unknown>;
  /** Makes the three anew: verified, each with an authenticator that waits, two sessions and two keys. */
  renew(): Promise<void>;
};

export async function openPeople(): Promise<People> {
  const rows = await openRows();
  const { db, run } = rows;
  await run(`insert into apps (id, slug, name, allowed_scopes) values ('a', 'a', 'a', '{x}'), ('b', 'b', 'b', '{x}')`);
  await run(
    `insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'm', 'crypto', 1, 0)`,
  );
  return { ...rows, ask, renew };

  async function ask(call: string, ...values: string[]) {
    const [row] = await db.any({
      ...sql.type(z.object({ said: z.unknown() }))``,
      sql: `select ${call} as said`,
      values,
    });
    return row?.said;
  }

  async function renew() {
    for (const table of ['trader_keys', 'prop_accounts', 'one_time_codes', 'password_resets', 'users'])
      await run(`delete from ${table}`);
    for (const [app, email] of [
      ['a', 'ann'],
      ['a', 'bob'],
      ['b', 'ann'],
    ] as const) {
      const id = `${email}@${app}`;
      await run(
        `insert into users (id, app_id, email, password_salt, password_hash, verified_at, totp_seed, totp_session_id)
         values ($1, $2, $3, 'salt', 'h', now(), 'seed', 's ' || $1::text)`,
        ...[id, app, email],
      );
      await run(
        `insert into user_sessions (id, digest, user_id, expires_at)
         select n || $1::text, (n || $1::text)::bytea, $1::text, now() + interval '1 hour' from unnest(array['s ', 't ']) n`,
        id,
      );
      await run(
        `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
         values ($1, $2, $1, 'tier_x', 'm', 'crypto', 1, 'provisioning')`,
        ...[id, app],
      );
      await run(
        `insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id, made_in_session)
         select n || $1::text, n || $1::text, (n || $1::text)::bytea, '', $2, $1::text, $1::text, n || $1::text
         from unnest(array['s ', 't ']) n`,
        ...[id, app],
      );
    }
  }
}
