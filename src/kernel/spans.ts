import { randomBytes } from 'node:crypto';
import type { IntentId } from './id-kinds.ts';

/** A timed part of a piece of work. Times are epoch milliseconds with fractions. Attributes hold no secret. */
export type Span = {
  name: string;
  kind: 'server' | 'consumer' | 'client' | 'internal';
  startedAtMs: number;
  endedAtMs: number;
  hasFailed: boolean;
  attributes: Record<string, string | number | boolean>;
};

/** Where a span is in its trace, in the hexadecimal ids of W3C Trace Context. `link`: a span of the caller's own trace. */
export type SpanContext = {
  traceId: string;
  spanId: string;
  parentId?: string;
  link?: { traceId: string; spanId: string };
};

/** The parts of one piece of work. */
export type Spans = {
  add(part: Span): void;
  /** Names the trace that the parts belong to; those that end later join it too. `whole` is made only if the trace is kept. */
  end(context: SpanContext, whole: () => Span): void;
  /** Adds a part to another trace, below a span of it, if that trace is kept. */
  addTo(context: SpanContext, part: () => Span): void;
};

/** A span from a moment of `performance.now()` until now. */
export const spanSince = (startedAt: number, of: Omit<Span, 'startedAtMs' | 'endedAtMs'>): Span => ({
  ...of,
  startedAtMs: performance.timeOrigin + startedAt,
  endedAtMs: performance.timeOrigin + performance.now(),
});

/** The span of the request that submitted an intent. The trace of an intent has its id, so every process finds it. */
export function spanContextOfIntent(intentId: IntentId): SpanContext {
  const traceId = intentId.replaceAll('-', '').toLowerCase();
  return { traceId, spanId: traceId.slice(16) };
}

/** A new span below another. */
export const below = ({ traceId, spanId }: SpanContext): SpanContext => ({
  traceId,
  spanId: newSpanId(),
  parentId: spanId,
});

/** A trace of its own. */
export const newSpanContext = (): SpanContext => ({ traceId: randomBytes(16).toString('hex'), spanId: newSpanId() });

const newSpanId = () => randomBytes(8).toString('hex');
