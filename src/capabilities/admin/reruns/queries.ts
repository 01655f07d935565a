import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { type IntentId, idSchema, isUuid, type OwnerId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const intentRow = z.custom<components['schemas']['TroubledIntent']>();

/** An intent in the form shown to operators, without its request and result. */
export type TroubledIntent = z.infer<typeof intentRow>;

const intentColumns = sql.fragment`
  i.intent_id, i.kind, i.owner, i.state, i.effect, i.problem_code, i.unknown_because, i.attempts, i.reconcile_attempts, i.created_at, i.deadline_at,
  i.sending_at, i.settled_at`;

/** Written out as literals, so that any plan can use the matching partial index. */
const states = {
  trouble: sql.fragment`i.phase in ('in_doubt', 'failed')`,
  queued: sql.fragment`i.phase = 'pending' and i.state = 'queued'`,
  running: sql.fragment`i.phase = 'pending' and i.state = 'running'`,
  in_doubt: sql.fragment`i.phase = 'in_doubt'`,
  undecided: sql.fragment`i.is_undecided and exists (select from ops.undecided_intents u where u.intent_id = i.intent_id)`,
  failed: sql.fragment`i.phase = 'failed'`,
  expired: sql.fragment`i.phase = 'expired'`,
};

type Filter = PageRequest & { state: keyof typeof states; kind: string | null; owner: OwnerId | null };

/** Intents in a state, newest first, after `cursor`. `trouble` means in doubt or failed. */
export const listTroubled = (db: Db, filter: Filter): Promise<readonly TroubledIntent[]> =>
  db.any(sql.type(intentRow)`
    select ${intentColumns}
    from ops.intents i
    where ${states[filter.state]}
      and (${filter.kind}::text is null or i.kind = ${filter.kind})
      and (${filter.owner}::text is null or i.owner = ${filter.owner})
      and (${filter.cursor}::uuid is null or (i.created_at, i.intent_id) < (
        select c.created_at, c.intent_id
        from ops.intents c
        where c.intent_id = ${filter.cursor}::uuid
      ))
    order by i.created_at desc, i.intent_id desc
    limit ${filter.limit}`);

/** Whether there is such an intent. */
export const isIntent = async (db: Db, id: IntentId): Promise<boolean> =>
  isUuid(id) && db.exists(sql.unsafe`select from ops.intents i where i.intent_id = ${id}::uuid`);

const assessmentColumns = sql.fragment`j.verdict, j.is_safe, j.was_sent, j.venue_says, j.would_do, j.reason`;
/** What a re-run of an intent would do, and whether it is safe. */
export const assessmentRow = z.object({
  verdict: z.enum(['queued_again', 'reconcile_again', 'send_again', 'finished', 'would_act_twice', 'at_work']),
  is_safe: z.boolean(),
  was_sent: z.boolean(),
  venue_says: z.string().nullable(),
  would_do: z.string(),
  reason: z.string(),
});

const storyRow = z.object({
  intent: intentRow,
  timeline: z.array(z.object({ at: z.string(), what: z.string(), detail: z.string().nullable() })),
  lane: z.object({ name: z.string(), is_head: z.boolean(), waiting: z.number() }).nullable(),
  job: z
    .object({
      task: z.string(),
      run_at: z.string(),
      attempts: z.number(),
      max_attempts: z.number(),
      locked: z.boolean(),
    })
    .nullable(),
  waits_for: z
    .object({
      reason: z.custom<components['schemas']['WaitReason']>(),
      detail: z.string(),
      until: z.string().nullable(),
    })
    .nullable(),
  about: z.record(z.string(), z.string()),
  rerun: assessmentRow,
});

/** An assessment of a re-run. */
export type Assessment = z.infer<typeof assessmentRow>;

/** An intent with its timeline, lane, job and re-run assessment; null for an unknown id. */
export async function findStory(db: Db, intentId: IntentId): Promise<z.infer<typeof storyRow> | null> {
  const intent = await db.maybeOne(sql.type(intentRow)`
    select ${intentColumns}
    from ops.intents i
    where i.intent_id = ${intentId}`);
  if (!intent) return null;
  const timeline = await db.any(sql.type(storyRow.shape.timeline.element)`
    select s.at, s.what, s.detail
    from ops.history(${intentId}) s`);
  const rest = await db.one(sql.type(storyRow.pick({ lane: true, job: true, waits_for: true, about: true }))`
    select ops.subjects_of(${intentId}) as about,
      (
        select jsonb_build_object('name', l.lane, 'is_head', l.head is not distinct from i.intent_id, 'waiting', l.waiting)
        from ops.lanes l
        where l.lane = i.lane
      ) as lane,
      (
        select jsonb_build_object('task', j.task, 'run_at', to_char(j.run_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'attempts', j.attempts, 'max_attempts', j.max_attempts, 'locked', j.locked_at is not null)
        from ops.jobs j
        where j.intent_id = i.intent_id
        order by j.is_dead, j.run_at
        limit 1
      ) as job,
      (
        select jsonb_build_object('reason', w.reason, 'detail', w.detail,
          'until', to_char(w.until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        from ops.why(i.intent_id) w
      ) as waits_for
    from ops.intents i
    where i.intent_id = ${intentId}`);
  const rerun = await db.one(sql.type(assessmentRow)`
    select ${assessmentColumns}
    from ops.safe_to_rerun(${intentId}) j`);
  return { intent, timeline: [...timeline], ...rest, rerun };
}

const sentRow = z.object({
  id: idSchema.intent,
  kind: z.string(),
  sending_at: z.string(),
  sent_payload: z.record(z.string(), z.unknown()),
});

/** An open intent whose request may have been sent, with its payload; else null. */
export const findSent = (db: Db, intentId: IntentId): Promise<z.infer<typeof sentRow> | null> =>
  db.maybeOne(sql.type(sentRow)`
    select i.id, i.kind, i.sending_at, i.sent_payload
    from intents i
    where i.id = ${intentId} and i.settled_at is null and i.sending_at is not null and i.sent_payload is not null`);

/** Which open intents: of a verb, of a partner or app, in a state; null: of any. */
export type OpenFilter = { kind: string | null; owner: string | null; state: 'queued' | 'running' | 'in_doubt' | null };

const assessmentsRow = z.custom<components['schemas']['RerunAssessments']['assessments'][number]>();

/** What re-running the oldest 1,000 of these intents would do, by assessment, the safe ones first. */
export const assessAll = (
  db: Db,
  { kind, owner, state }: OpenFilter,
): Promise<readonly z.infer<typeof assessmentsRow>[]> =>
  db.any(sql.type(assessmentsRow)`
    select j.verdict, j.is_safe, j.would_do, j.intents, j.oldest_at, j.example
    from assess_open_intents(${kind}, ${owner}, ${state}) j`);
