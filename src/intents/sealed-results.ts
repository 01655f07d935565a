import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import type { SealContext, Sealer } from '../kernel/seal.ts';
import { type RecordedMembers, recordedResult, shownMembers } from './follow.ts';
import type { Intent } from './intent.ts';

type Members = Record<string, unknown>;
type Keeper = { db: Db; sealer: Sealer };

const sealContextOf = (intentId: IntentId): SealContext => ({
  table: 'sealed_results',
  row: intentId,
  column: 'sealed',
});

/** A fragment for `succeedWith`: stores members of an intent's result sealed, apart from the readable outcome. */
export const sealedResult = (sealer: Sealer, intentId: IntentId, members: Members): FragmentSqlToken =>
  sql.fragment`record_sealed_result(${intentId}, ${sql.binary(sealer.seal(JSON.stringify(members), sealContextOf(intentId)))})`;

/** The result of a settled intent, sealed members included. Null and errors as in `resultOf`. */
export async function fullResultOf<Shape extends z.ZodRawShape>(
  keeper: Keeper,
  intent: Intent,
  schema: z.ZodObject<Shape>,
): Promise<RecordedMembers<Shape> | null> {
  const members = recordedResult(intent);
  return members && shownMembers({ ...members, ...(await findSealed(keeper, intent.id)) }, schema);
}

const sealedMembersRow = z.object({ sealed: z.instanceof(Buffer) });

/** The sealed members of an intent's result; empty if it has none. The caller must have checked the intent's owner. */
export async function findSealed({ db, sealer }: Keeper, intentId: IntentId): Promise<Members> {
  const sealed = await db.maybeOneFirst(sql.prepared('sealed_result', sealedMembersRow)`
    select r.sealed
    from sealed_results r
    where r.intent_id = ${intentId}`);
  return sealed === null ? {} : JSON.parse(sealer.open(sealed, sealContextOf(intentId)).toString());
}
