import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { noteWork } from '../kernel/work.ts';
import type { IntentDefinition } from './define.ts';
import type { Claim, Problem } from './intent.ts';
import { fail } from './settle.ts';

const NOT_CARRIED_OUT: Problem = { code: 'NOT_CARRIED_OUT' };

/**
 * Ends an intent whose request provably had no effect. If it may not have left because our worker ended, and the
 * upstream deduplicates, or if the intent is owed, it is sent again instead, within its deadline (`send_again`).
 */
export async function recordAbsence(
  db: Db,
  intent: Claim,
  { deduplicates = false }: Pick<IntentDefinition<never, never, never, never>, 'deduplicates'>,
  { isOwed = false }: { isOwed?: boolean },
): Promise<void> {
  const again = (deduplicates || isOwed) && (await sendAgain(db, intent, isOwed));
  if (again) noteWork({ outcome: 'queued' });
  else await fail(db, intent, NOT_CARRIED_OUT);
}

const sendAgain = (db: Db, { id, fence }: Claim, isOwed: boolean): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ ok: z.boolean() }))`
    select send_again(${id}, ${fence}, ${JSON.stringify({ problem: NOT_CARRIED_OUT })}::jsonb, ${isOwed}) ok`);
