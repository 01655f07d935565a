import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

/** Which open intents: of a verb, of a partner or app, in a state; null: of any. */
export type OpenFilter = { kind: string | null; owner: string | null; state: 'queued' | 'running' | 'in_doubt' | null };

const judgementsRow = z.custom<components['schemas']['RerunJudgements']['judgements'][number]>();

/** What re-running the oldest 1,000 of these intents would do, by judgement, the safe ones first. */
export const judgeAll = (
  db: Db,
  { kind, owner, state }: OpenFilter,
): Promise<readonly z.infer<typeof judgementsRow>[]> =>
  db.any(sql.type(judgementsRow)`
    select j.verdict, j.is_safe, j.would_do, j.intents, j.oldest_at, j.example
    from ops.judge_reruns(${kind}, ${owner}, ${state}) j`);
