import { isRefusalCode, Refusal, refusals } from '../kernel/refusals.ts';
import { effectOf, type Intent, type Problem } from './intent.ts';

/** The refusal that a failed or expired intent is answered with. */
function refusalOf(intent: Intent, problem: Problem): Refusal {
  if (!isRefusalCode(problem.code)) throw new Error(`Unknown problem ${problem.code}`);
  return new Refusal(problem.code, {
    effect: 'none',
    intent_id: intent.id,
    ...(problem.message !== undefined && { message: problem.message }),
    ...(problem.reason !== undefined && { reason: problem.reason }),
    ...(problem.retry_after_s !== undefined && { retryAfterS: problem.retry_after_s }),
  });
}

/** What a settled intent's party said. Refuses with the recorded problem; null while it has not settled. */
export function resultOf(intent: Intent): Record<string, unknown> | null {
  if (intent.settled_at === null || intent.outcome === null) return null;
  if ('problem' in intent.outcome) throw refusalOf(intent, intent.outcome.problem);
  return intent.outcome.result;
}

/** An intent as its owner sees it. */
export function shownIntent(intent: Intent) {
  const outcome = intent.settled_at === null ? null : intent.outcome;
  return {
    intent_id: intent.id,
    kind: intent.kind,
    state: intent.state,
    effect: effectOf(intent),
    created_at: intent.created_at,
    deadline_at: intent.deadline_at,
    sending_at: intent.sending_at,
    settled_at: intent.settled_at,
    result: outcome && 'result' in outcome ? outcome.result : null,
    problem: outcome && 'problem' in outcome ? shownProblem(intent, outcome.problem) : null,
  };
}

function shownProblem(intent: Intent, problem: Problem) {
  const refusal = refusalOf(intent, problem);
  return {
    code: refusal.code,
    message: refusal.details.message ?? refusals[refusal.code][1],
    retryable: refusal.retryable,
    ...(problem.reason !== undefined && { reason: problem.reason }),
  };
}

/** Headers of a 202: where to poll, and when. */
export const pendingHeaders = (location: string) => ({ Location: location, 'Retry-After': '1' });
