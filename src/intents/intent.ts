import { z } from 'zod';

/** Where an intent can be in its life. The last three are its endings. */
const states = ['queued', 'running', 'in_doubt', 'succeeded', 'failed', 'expired'] as const;

const problem = z.object({
  code: z.string(),
  message: z.string().optional(),
  reason: z.string().optional(),
  retry_after_s: z.number().optional(),
});

/** Why an intent ended without its effect: a refusal's code and what a caller may want to know. */
export type Problem = z.infer<typeof problem>;

/** What was recorded at the end: what the party said, or why there is no effect. */
export type Outcome = { result: Record<string, unknown> } | { problem: Problem };

/** An intent's row. `asked`, `sent` and `outcome.result` belong to its kind. `sent_ago_ms` is by the database's clock. */
export const intentRow = z.object({
  id: z.string(),
  kind: z.string(),
  owner: z.string(),
  lane: z.string().nullable(),
  state: z.enum(states),
  asked: z.record(z.string(), z.unknown()),
  sent: z.record(z.string(), z.unknown()).nullable(),
  outcome: z.union([z.object({ result: z.record(z.string(), z.unknown()) }), z.object({ problem })]).nullable(),
  fence: z.number(),
  tries: z.number(),
  looks: z.number(),
  created_at: z.string(),
  deadline_at: z.string(),
  sending_at: z.string().nullable(),
  settled_at: z.string().nullable(),
  sent_ago_ms: z.number(),
});

export type Intent = z.infer<typeof intentRow>;

/** An intent in a worker's hands: every write of its claim carries the fence. */
export type Held = Pick<Intent, 'id' | 'fence' | 'looks' | 'tries'>;

/** What is known of the effect in a state: `unknown` only between the first byte and an answer. */
export function effectOf({ state, sending_at }: Pick<Intent, 'state' | 'sending_at'>): 'none' | 'done' | 'unknown' {
  if (state === 'succeeded') return 'done';
  if (state === 'in_doubt') return 'unknown';
  return state === 'running' && sending_at !== null ? 'unknown' : 'none';
}
