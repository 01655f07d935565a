import type { Db } from '../db/pool.ts';
import type { Answer } from '../kernel/answer.ts';
import { type Finding, recordNoAnswer } from './carry-out.ts';
import type { Intent } from './intent.ts';
import { nextTryMs } from './plans.ts';
import { fail, retry } from './settle.ts';

/** The processor keeps idempotency keys for 24 hours; an hour is left for clocks and requests under way. */
const KEPT_MS = 23 * 60 * 60 * 1000;

/**
 * Looks up what came of a request at a party that keeps our keys: the same request under the same key is answered as the
 * first was, or carried out now if the first never arrived. Past the time keys are kept nobody can tell by asking.
 */
export async function askAgain<Said>(intent: Intent, again: () => Promise<Answer<Said>>): Promise<Finding<Said>> {
  if (intent.sent_ago_ms > KEPT_MS) return { kind: 'undecidable', problem: { code: 'PROCESSOR_SILENT' } };
  return again();
}

/** Records everything the processor can answer but a yes. */
export async function recordNo(
  db: Db,
  intent: Intent,
  answer: Exclude<Answer<unknown>, { kind: 'accepted' }>,
): Promise<boolean> {
  if (answer.kind === 'unreachable')
    return retry(db, intent, nextTryMs(intent.tries), { code: 'PROCESSOR_UNREACHABLE' });
  if (answer.kind === 'in_doubt') return recordNoAnswer(db, intent, answer);
  if (answer.slug === 'processor_auth') return fail(db, intent, { code: 'PROCESSOR_AUTH' });
  return fail(db, intent, { code: 'PROCESSOR_REJECTED', reason: answer.slug });
}
