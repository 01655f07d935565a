import type { Context } from 'koa';
import type { IntentId } from '../kernel/ids.ts';
import { below, newSpanContext, type SpanContext, spanContextOfIntent, spanSince } from '../kernel/spans.ts';
import type { Work } from '../kernel/work.ts';

/**
 * Ends the spans of a request. The request that submitted an intent is the root of the intent's trace, a repeat of it
 * lies below; any other request has a trace of its own. The caller's own trace is linked to.
 */
export function traceRequest({ spans, request_id = '' }: Work, startedAt: number, ctx: Context): void {
  const { operation = 'none', intentId, caller } = ctx.state;
  spans?.end({ ...spanContextOf(intentId, ctx), ...callersSpan(ctx.get('traceparent')) }, () => {
    const attributes = {
      'http.request.method': ctx.method,
      'http.response.status_code': ctx.status,
      request_id,
      ...(intentId && { intent_id: intentId }),
      ...(caller && { caller }),
    };
    return spanSince(startedAt, { name: operation, kind: 'server', hasFailed: ctx.status >= 500, attributes });
  });
}

function spanContextOf(intentId: IntentId | undefined, ctx: Context): SpanContext {
  if (!intentId) return newSpanContext();
  const first = spanContextOfIntent(intentId);
  return ctx.response.get('Idempotent-Replayed') ? below(first) : first;
}

/** The span that a caller names in the header `traceparent` of W3C Trace Context, if it is well-formed. */
function callersSpan(traceparent: string): Pick<SpanContext, 'link'> {
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(traceparent) ?? [];
  return traceId && spanId ? { link: { traceId, spanId } } : {};
}
