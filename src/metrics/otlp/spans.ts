import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Span, SpanContext } from '../../kernel/spans.ts';
import { hrTime, SCOPE } from './scope.ts';

const KINDS: Record<Span['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** A span as the SDK's processors take it. Every span that is made is sampled. */
export const asReadable = (
  span: Span,
  { traceId, spanId, parentId, link }: SpanContext,
  resource: Resource,
): ReadableSpan => {
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: { ...context, spanId: parentId } }),
    startTime: hrTime(span.startedAtMs),
    endTime: hrTime(span.endedAtMs),
    duration: hrTime(span.endedAtMs - span.startedAtMs),
    ended: true,
    status: { code: span.hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: link ? [{ context: { ...link, traceFlags: TraceFlags.NONE } }] : [],
    events: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};
