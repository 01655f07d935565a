import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, newSecret } from '../../../kernel/ids.ts';
import type { App } from '../../../kernel/principal.ts';

/** The longest lifetime of an access token. */
const TOKEN_LIVES_S = 3_600;

/** An access token, and its remaining lifetime in seconds. It is shown once. */
export type IssuedToken = { token: string; expiresInS: number };

/**
 * Issues an access token to an app that authenticated with its secret: for an hour, or until the secret ends. Only its
 * digest is stored. Throws V2_INVALID_CREDENTIALS if the secret ended meanwhile, or the app was disabled: the lock lets whoever
 * disables it delete this token too.
 */
export async function issueToken(db: Db, app: App, scopes: readonly string[]): Promise<IssuedToken> {
  const token = newSecret('apt');
  const expiresInS = await db.maybeOneFirst(sql.prepared('issue_token', z.object({ expires_in: z.number() }))`
    insert into app_tokens (digest, app_id, secret_id, scopes, expires_at)
    select
      ${sql.binary(digest(token))}, s.app_id, s.id, ${sql.array(scopes, 'text')},
      least(now() + make_interval(secs => ${TOKEN_LIVES_S}), s.expires_at)
    from app_secrets s
    join apps a on a.id = s.app_id
    where s.id = ${app.secretId} and (s.expires_at is null or s.expires_at > now()) and a.disabled_at is null
    for share of a
    returning floor(extract(epoch from expires_at - now()))::int as expires_in`);
  if (expiresInS === null) throw new ApiError('V2_INVALID_CREDENTIALS');
  return { token, expiresInS };
}

/**
 * Ends a token of this app at once. Unknown tokens and tokens of other apps are ignored without an error (RFC 7009,
 * section 2.2).
 */
export async function revokeToken(db: Db, app: App, token: string): Promise<void> {
  await db.query(sql.prepared('revoke_token', z.object({}))`
    delete from app_tokens
    where digest = ${sql.binary(digest(token))} and app_id = ${app.owner}`);
}
