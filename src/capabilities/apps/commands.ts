import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import { digest, hintOf, newId, newSecret } from '../../kernel/ids.ts';
import type { App } from '../../kernel/principal.ts';

/** A new client secret. It is shown once. */
export type RotatedSecret = { client_id: string; client_secret: string; previous_secret_expires_at: string };

const rotatedRow = z.object({ previous_expires_at: z.string() });

/**
 * Gives the app a new secret; the previous one stays valid for `overlapS` seconds. Throws V2_SECRET_SUPERSEDED if the
 * token was issued with a secret that is no longer the newest. So only one of several concurrent rotations succeeds,
 * and a leaked old secret cannot take over the app.
 */
export async function rotateAppSecret(db: Db, app: App, overlapS: number): Promise<RotatedSecret> {
  const secret = newSecret('csk');
  const rotated = await db.maybeOne(sql.prepared('rotate_secret_of_app', rotatedRow)`
    select r.previous_expires_at
    from rotate_app_secret(
      ${app.owner}, ${app.secretId}, ${newId('sec')}, ${sql.binary(digest(secret))}, ${hintOf(secret)}, ${overlapS}
    ) r`);
  if (!rotated) throw new ApiError('V2_SECRET_SUPERSEDED');
  return {
    client_id: app.owner,
    client_secret: secret,
    previous_secret_expires_at: rotated.previous_expires_at,
  };
}
