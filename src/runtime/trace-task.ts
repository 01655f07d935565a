import { below, newSpanContext, spanContextOfIntent, spanSince } from '../kernel/spans.ts';
import type { Work } from '../kernel/work.ts';

/** Ends the spans of a task. A job of an intent belongs to the trace of its request, any other has a trace of its own. */
export function traceTask(
  { task: name = '', spans, intent_id, request_id, tenant, outcome: came }: Work,
  startedAt: number,
  { outcome, job, attempt }: { outcome: 'done' | 'threw'; job?: string; attempt?: number },
): void {
  const context = intent_id === undefined ? newSpanContext() : below(spanContextOfIntent(intent_id));
  spans?.end(context, () => {
    const attributes = {
      outcome: came ?? outcome,
      ...(job !== undefined && { job }),
      ...(attempt !== undefined && { attempt }),
      ...(intent_id !== undefined && { intent_id }),
      ...(request_id !== undefined && { request_id }),
      ...(tenant !== undefined && { tenant }),
    };
    return spanSince(startedAt, { name, kind: 'consumer', hasFailed: outcome === 'threw', attributes });
  });
}
