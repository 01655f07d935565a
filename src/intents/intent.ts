import { z } from 'zod';
import type { Effect } from '../kernel/errors.ts';
import { idSchema } from '../kernel/ids.ts';
import type { IntentWait } from './waits.ts';

/** The states of an intent. The last three are final. */
const states = ['queued', 'running', 'in_doubt', 'succeeded', 'failed', 'expired'] as const;

const problem = z.object({
  code: z.string(),
  message: z.string().optional(),
  reason: z.string().optional(),
  retry_after_s: z.number().optional(),
  effect: z.enum(['done', 'unknown']).optional(),
});

/**
 * Why an intent ended without a result: an error code of the catalogue, and details for the caller. Without `effect`
 * nothing happened, provably. `unknown`: nothing can prove the effect. `done`: it was found to have happened.
 */
export type Problem = z.infer<typeof problem>;

/** What was recorded when the intent ended: the result of the upstream, or why there is no effect. */
export type Outcome = { result: Record<string, unknown> } | { problem: Problem };

/**
 * An intent's row. `given_id`: the caller's own name of the order that it places. The shapes of `request`,
 * `sent_payload` and `outcome.result` depend on its kind. `sent_ago_ms` is measured by the database's clock.
 */
export const intentRow = z.object({
  id: idSchema.intent,
  given_id: idSchema.order.nullable(),
  kind: z.string(),
  owner: idSchema.owner,
  request_id: z.string().nullable(),
  lane: z.string().nullable(),
  state: z.enum(states),
  request: z.record(z.string(), z.unknown()),
  sent_payload: z.record(z.string(), z.unknown()).nullable(),
  outcome: z.union([z.object({ result: z.record(z.string(), z.unknown()) }), z.object({ problem })]).nullable(),
  fence: z.number(),
  attempts: z.number(),
  reconcile_attempts: z.number(),
  created_at: z.string(),
  deadline_at: z.string(),
  sending_at: z.string().nullable(),
  presumed_sent_at: z.string().nullable(),
  settled_at: z.string().nullable(),
  sent_ago_ms: z.number(),
});

/** The row of an intent that may be sent, with whether exits wait for it in its lane. */
export const unsentRow = intentRow.extend({ exits_wait: z.boolean() });

/**
 * An intent as stored. `wait`: what it waits for, if it is open and that was read; null if it ended meanwhile. `respondedAt`: when the response
 * to its request was here (`performance.now()`), or the upstream may have been done with it, if that is what is being recorded.
 */
export type Intent = z.infer<typeof intentRow> & {
  wait?: IntentWait | null;
  respondedAt?: number;
  exits_wait?: boolean;
};

/** An intent claimed by a worker. Every write under the claim carries the fence. */
export type Claim = Pick<
  Intent,
  'id' | 'kind' | 'owner' | 'fence' | 'lane' | 'created_at' | 'reconcile_attempts' | 'attempts' | 'respondedAt'
>;

/**
 * The effect of an intent as known in its state. `unknown` from the first byte sent to a definite result, and for an
 * end that proves nothing.
 */
export function effectOf({ state, sending_at, outcome }: Pick<Intent, 'state' | 'sending_at' | 'outcome'>): Effect {
  if (state === 'succeeded') return 'done';
  if (state === 'in_doubt') return 'unknown';
  if (state === 'failed' && outcome && 'problem' in outcome) return outcome.problem.effect ?? 'none';
  return state === 'running' && sending_at !== null ? 'unknown' : 'none';
}
