import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';

type Act = { subject: string; actor: string; why: string };

/**
 * Sends nothing new to an upstream, or for a partner or app, until `endPause`; `holdsExits`: nothing that reduces a risk either. Recorded. Throws
 * V2_PAUSE_UNKNOWN if there is no such upstream, partner or app.
 */
export async function pause(
  db: Pick<Db, 'oneFirst'>,
  { subject, actor, why }: Act,
  holdsExits: boolean,
): Promise<void> {
  const isKnown = await db.oneFirst(sql.type(z.object({ known: z.boolean() }))`
    select pause_work(${subject}, ${holdsExits}, ${actor}, ${why}) as known`);
  if (!isKnown) throw new ApiError('V2_PAUSE_UNKNOWN');
}

/** Ends a pause and returns how many intents go on. Recorded. Throws V2_PAUSE_UNKNOWN if there is none. */
export async function endPause(db: Pick<Db, 'oneFirst'>, { subject, actor, why }: Act): Promise<number> {
  const queued = await db.oneFirst(sql.type(z.object({ queued: z.number().nullable() }))`
    select end_pause(${subject}, ${actor}, ${why}) as queued`);
  if (queued === null) throw new ApiError('V2_PAUSE_UNKNOWN');
  return queued;
}
