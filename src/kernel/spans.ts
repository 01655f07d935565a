import { randomBytes } from 'node:crypto';

/** A timed part of a piece of work. Times are epoch milliseconds with fractions. Attributes hold no secret. */
export type Span = {
  name: string;
  kind: 'server' | 'consumer' | 'client' | 'internal';
  startedAtMs: number;
  endedAtMs: number;
  hasFailed: boolean;
  attributes: Record<string, string | number | boolean>;
};

/** The place of a span in its trace, in the hexadecimal ids of W3C Trace Context. `link`: a span of the caller's own trace. */
export type Place = { traceId: string; spanId: string; parentId?: string; link?: { traceId: string; spanId: string } };

/** Takes spans that ended. Must not throw. */
export type SpanSink = (span: Span, place: Place) => void;

/** The parts of one piece of work. `end` names the trace they belong to; parts that end later join it too. */
export type Spans = { add(part: Span): void; end(whole: Span, place: Place): void };

let sink: SpanSink | undefined;

/** Sends all spans of this process to `to` from now on. Without a sink none are made. */
export const recordSpansTo = (to: SpanSink | undefined): void => {
  sink = to;
};

/** Opens a new piece of work; undefined if no sink takes spans. */
export function openSpans(): Spans | undefined {
  if (!sink) return undefined;
  const parts: Span[] = [];
  let whole: Place | undefined;
  const tell = (part: Span, { traceId, spanId }: Place) => sink?.(part, below({ traceId, spanId }));
  return {
    add(part) {
      if (whole) tell(part, whole);
      else parts.push(part);
    },
    end(span, place) {
      whole = place;
      sink?.(span, place);
      for (const part of parts.splice(0)) tell(part, place);
    },
  };
}

/** A span from a moment of `performance.now()` until now. */
export const spanSince = (startedAt: number, of: Omit<Span, 'startedAtMs' | 'endedAtMs'>): Span => ({
  ...of,
  startedAtMs: performance.timeOrigin + startedAt,
  endedAtMs: performance.timeOrigin + performance.now(),
});

/** The place of the request that submitted an intent. The trace of an intent has its id, so every process finds it. */
export function placeOfIntent(intentId: string): Place {
  const traceId = intentId.replaceAll('-', '').toLowerCase();
  return { traceId, spanId: traceId.slice(16) };
}

/** A new span below another. */
export const below = ({ traceId, spanId }: Place): Place => ({ traceId, spanId: newSpanId(), parentId: spanId });

/** A trace of its own. */
export const newPlace = (): Place => ({ traceId: randomBytes(16).toString('hex'), spanId: newSpanId() });

const newSpanId = () => randomBytes(8).toString('hex');
