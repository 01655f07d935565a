import { below, type Span, type SpanContext, type Spans } from '../../kernel/spans.ts';
import { traceBy } from '../../kernel/work.ts';

/** Takes spans that ended. Must not throw. `isKept`: whether those of a trace are sent at all. */
export type SpanSink = { isKept(traceId: string): boolean; take(span: Span, context: SpanContext): void };

/** Sends the spans of all work of this process to `sink` from now on. Without a sink none are made. */
export const recordSpansTo = (sink: SpanSink | undefined): void => traceBy(sink && (() => openSpans(sink)));

function openSpans({ isKept, take }: SpanSink): Spans {
  const parts: Span[] = [];
  let whole: SpanContext | undefined;
  let isDropped = false;
  return {
    add(part) {
      if (whole) take(part, below(whole));
      else if (!isDropped) parts.push(part);
    },
    end(context, span) {
      const made = parts.splice(0);
      isDropped = !isKept(context.traceId);
      if (isDropped) return;
      whole = context;
      take(span(), context);
      for (const part of made) take(part, below(context));
    },
    addTo(context, span) {
      if (isKept(context.traceId)) take(span(), below(context));
    },
  };
}
