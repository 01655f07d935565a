import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { Place, Sealer } from '../kernel/seal.ts';
import { resultOf } from './answers.ts';
import type { Intent } from './intent.ts';

type Members = Record<string, unknown>;
type Keeper = { db: Db; sealer: Sealer };

const placeOf = (intentId: string): Place => ({ table: 'sealed_results', row: intentId, column: 'sealed' });

/** A fragment for `succeedWith`: keeps members of an intent's result sealed, beside the outcome that everyone reads. */
export const hiding = (sealer: Sealer, intentId: string, members: Members): FragmentSqlToken => sql.fragment`
      insert into sealed_results (intent_id, sealed)
      select ${intentId}, ${sql.binary(sealer.seal(JSON.stringify(members), placeOf(intentId)))}
      from settled
      where ok`;

/** What a settled intent's party said, hidden members included. Refuses and is null as `resultOf` does. */
export async function wholeResultOf(keeper: Keeper, intent: Intent): Promise<Members | null> {
  const result = resultOf(intent);
  return result && { ...result, ...(await findHidden(keeper, intent.id)) };
}

const hiddenRow = z.object({ sealed: z.instanceof(Buffer) });

/** The hidden members of an intent's result; none where there are none. The caller has shown that the intent is its own. */
export async function findHidden({ db, sealer }: Keeper, intentId: string): Promise<Members> {
  const sealed = await db.maybeOneFirst(sql.prepared('sealed_result', hiddenRow)`
    select r.sealed
    from sealed_results r
    where r.intent_id = ${intentId}`);
  return sealed === null ? {} : JSON.parse(sealer.open(sealed, placeOf(intentId)).toString());
}
