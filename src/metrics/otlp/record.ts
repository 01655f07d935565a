import { below, type Place, type Span, type Spans } from '../../kernel/spans.ts';
import { traceBy } from '../../kernel/work.ts';

/** Takes spans that ended. Must not throw. */
type SpanSink = (span: Span, place: Place) => void;

/** Sends the spans of all work of this process to `sink` from now on. Without a sink none are made. */
export const recordSpansTo = (sink: SpanSink | undefined): void => traceBy(sink && (() => openSpans(sink)));

function openSpans(sink: SpanSink): Spans {
  const parts: Span[] = [];
  let whole: Place | undefined;
  return {
    add(part) {
      if (whole) sink(part, below(whole));
      else parts.push(part);
    },
    end(span, place) {
      whole = place;
      sink(span, place);
      for (const part of parts.splice(0)) sink(part, below(place));
    },
    addTo(place, span) {
      sink(span, below(place));
    },
  };
}
