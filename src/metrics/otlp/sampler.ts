import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

/** Requests and jobs of which a process sends the spans in a second, about. Each has 3 to 8, of 12 µs: 1 % of a core at most. */
const MOST_PER_S = 100;

/**
 * Decides by its trace id whether the spans of a request or a job are sent: `ratio` of the traces (0 to 1), and fewer
 * while there were more in the second before than a process sends, or many at once. All processes decide in the same
 * way: a trace that is kept at a smaller share is kept at a larger one.
 */
export function openSampler(ratio: number, nowMs: () => number): (traceId: string) => boolean {
  let share = ratio;
  let sampler = new TraceIdRatioBasedSampler(share);
  let startedMs = nowMs();
  let seen = 0;
  let kept = 0;
  const keep = (part: number) => {
    if (part !== share) sampler = new TraceIdRatioBasedSampler(part);
    share = part;
    kept = 0;
  };
  return (traceId) => {
    const passedMs = nowMs() - startedMs;
    if (passedMs >= 1_000) {
      keep(Math.min(ratio, (MOST_PER_S * passedMs) / 1_000 / Math.max(seen, 1)));
      startedMs += passedMs;
      seen = 0;
    } else if (kept >= MOST_PER_S) keep(share / 2);
    seen += 1;
    const isKept = sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
    if (isKept) kept += 1;
    return isKept;
  };
}
