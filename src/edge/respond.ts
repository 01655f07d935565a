import type { Context } from 'koa';
import { type Effect, Refusal, type RefusalCode, refusals } from '../kernel/refusals.ts';

/** A problem document (RFC 9457); published clients of this interface read the code under `error`. */
export function problemDocument(refusal: Refusal, requestId: string): Record<string, unknown> {
  const { retryAfterS: _, headers: __, message: ___, ...members } = refusal.details;
  return {
    type: `urn:problem:${refusal.code.toLowerCase().replaceAll('_', '-')}`,
    title: refusals[refusal.code][1],
    status: refusal.status,
    error: {
      ...members,
      code: refusal.code,
      message: refusal.message,
      retryable: refusal.retryable,
      request_id: requestId,
    },
  };
}

/** Answers with a refusal: its problem document, status, and the headers it asks for. */
export function refuse(ctx: Context, refusal: Refusal, requestId: string): void {
  ctx.status = refusal.status;
  ctx.set('Cache-Control', 'no-store');
  ctx.set(refusal.details.headers ?? {});
  if (refusal.details.retryAfterS !== undefined) ctx.set('Retry-After', String(Math.ceil(refusal.details.retryAfterS)));
  if (refusal.details.intent_id) ctx.set('Intent-Id', refusal.details.intent_id);
  ctx.type = ctx.state.oauthErrors ? 'application/json' : 'application/problem+json';
  const problem = problemDocument(refusal, requestId);
  ctx.body = JSON.stringify(ctx.state.oauthErrors ? withOauthError(problem, refusal) : problem);
}

const OAUTH_ERRORS: Partial<Record<RefusalCode, string>> = {
  V2_INVALID_CREDENTIALS: 'invalid_client',
  V2_UNSUPPORTED_GRANT: 'unsupported_grant_type',
  V2_INVALID_SCOPE: 'invalid_scope',
  V2_THROTTLED: 'temporarily_unavailable',
  INTERNAL: 'server_error',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
};

/** RFC 6749, section 5.2, wants a word under `error`: our own members move to `detail`, where clients look as well. */
const withOauthError = ({ error: detail, ...problem }: Record<string, unknown>, refusal: Refusal) => ({
  ...problem,
  error: OAUTH_ERRORS[refusal.code] ?? 'invalid_request',
  error_description: refusal.message,
  detail,
});

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Says on every refused write what became of it: nothing, unless the refusal knows better. */
export function withEffect(refusal: Refusal, method: string): Refusal {
  const effect: Effect | undefined = refusal.details.effect ?? (writes.has(method) ? 'none' : undefined);
  return effect === undefined ? refusal : new Refusal(refusal.code, { ...refusal.details, effect });
}
