import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { digest } from '../kernel/digest.ts';
import { newId, newSecret } from '../kernel/ids.ts';
import type { App } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';

/** How long an access token is good, in seconds. */
export const TOKEN_LIVES_S = 3_600;

/** Issues an access token to an app that came with its secret. The token is shown this once; its digest is stored. */
export async function issueToken(db: Db, app: App, scopes: readonly string[]): Promise<string> {
  const token = newSecret('apt');
  await db.query(sql.prepared('issue_token', z.object({}))`
    insert into app_tokens (digest, app_id, secret_id, scopes, expires_at)
    values (
      ${sql.binary(digest(token))}, ${app.owner}, ${app.secretId}, ${sql.array(scopes, 'text')},
      now() + make_interval(secs => ${TOKEN_LIVES_S})
    )`);
  return token;
}

/** Ends a token of this app at once. Unknown and foreign ones are left alone, and nobody is told (RFC 7009, section 2.2). */
export async function revokeToken(db: Db, app: App, token: string): Promise<void> {
  await db.query(sql.prepared('revoke_token', z.object({}))`
    delete from app_tokens
    where digest = ${sql.binary(digest(token))} and app_id = ${app.owner}`);
}

/** A new client secret, shown this once. */
export type RotatedSecret = { client_id: string; client_secret: string; previous_secret_expires_at: string };

const rotatedRow = z.object({ previous_expires_at: z.string() });

/**
 * Gives the app a new secret; the one before lives on for `overlapS`. Refuses a token whose secret is not the newest any more, so
 * that of many rotations at once one takes place, and an old secret, once leaked, can not take the app over.
 */
export async function rotateOwnSecret(db: Db, app: App, overlapS: number): Promise<RotatedSecret> {
  const secret = newSecret('csk');
  const rotated = await db.maybeOne(sql.prepared('rotate_own_secret', rotatedRow)`
    select r.previous_expires_at
    from rotate_app_secret(${app.owner}, ${app.secretId}, ${newId('sec')}, ${sql.binary(digest(secret))}, ${overlapS}) r`);
  if (!rotated) throw new Refusal('V2_SECRET_SUPERSEDED');
  return {
    client_id: app.owner,
    client_secret: secret,
    previous_secret_expires_at: rotated.previous_expires_at,
  };
}
