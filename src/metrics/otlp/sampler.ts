import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

/**
 * Spans that a process sends in a second, about: each costs 10 to 20 µs, so they take 2 % of a core at most. An order has
 * 3 to 8 in a process.
 */
const MOST_PER_S = 1_000;

/**
 * Decides by its trace id whether a span is sent: `ratio` of the traces (0 to 1), and fewer while there were more spans in
 * the second before than a process sends. Processes decide alike: what is kept at a smaller share is kept at a larger one.
 */
export function openSampler(ratio: number, nowMs: () => number): (traceId: string) => boolean {
  let sampler = new TraceIdRatioBasedSampler(ratio);
  let endsMs = nowMs() + 1_000;
  let seen = 0;
  return (traceId) => {
    const atMs = nowMs();
    if (atMs >= endsMs) {
      const perSecond = (seen * 1_000) / (atMs - endsMs + 1_000);
      sampler = new TraceIdRatioBasedSampler(Math.min(ratio, MOST_PER_S / Math.max(perSecond, 1)));
      endsMs = atMs + 1_000;
      seen = 0;
    }
    seen += 1;
    return sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}
