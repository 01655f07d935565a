import type { Context } from 'koa';
import { type ErrorCode, errors } from '../kernel/error-codes.ts';
import { ApiError, type Effect } from '../kernel/errors.ts';
import { challengeOf } from './authenticate.ts';
import { describe } from './faults.ts';

/** The page of the error catalogue; an error's `type` is its URL with the code as fragment. */
const ERRORS_PATH = '/docs/errors';

/** Where an error occurred: the request's id, and the public URL of the service, which documents every code. */
type Occurrence = { requestId: string; publicUrl: string };

/** A problem document (RFC 9457), without its `detail`. Published clients read the code under `error`. */
export function problemDocument(apiError: ApiError, { requestId, publicUrl }: Occurrence): Record<string, unknown> {
  const { retryAfterS: _, headers: __, message: ___, ...members } = apiError.details;
  return {
    type: `${publicUrl}${ERRORS_PATH}#${apiError.code}`,
    title: errors[apiError.code][1],
    status: apiError.status,
    error: {
      ...members,
      code: apiError.code,
      message: messageOf(apiError),
      retryable: apiError.retryable,
      request_id: requestId,
    },
  };
}

/** The error of a request that breaks the contract names the field and the rule. */
const messageOf = ({ details, message }: ApiError): string =>
  details.message === undefined && details.fields ? describe(details.fields) : message;

/** Responds with an error: status, headers and problem document. */
export function reject(ctx: Context, apiError: ApiError, occurrence: Occurrence): void {
  ctx.status = apiError.status;
  ctx.set('Cache-Control', 'no-store');
  ctx.set(apiError.details.headers ?? {});
  const { retryAfterS } = apiError;
  if (retryAfterS !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterS)));
  const challenge = challengeOf(apiError.code);
  if (challenge && !ctx.res.hasHeader('WWW-Authenticate')) ctx.set('WWW-Authenticate', challenge);
  if (apiError.details.intent_id) ctx.set('Intent-Id', apiError.details.intent_id);
  ctx.type = ctx.state.oauthErrors ? 'application/json' : 'application/problem+json';
  const problem = problemDocument(apiError, occurrence);
  ctx.body = JSON.stringify(
    ctx.state.oauthErrors ? withOauthError(problem, apiError) : withDetail(ctx, problem, apiError),
  );
}

/**
 * Adds the string `detail` of RFC 9457 for callers whose `Accept` names the type. Published clients prefer `detail` to
 * `error` and read the code in it; they do not name the type.
 */
const withDetail = (ctx: Context, { error, ...problem }: Record<string, unknown>, apiError: ApiError) =>
  /application\/problem\+json/i.test(ctx.get('Accept'))
    ? { ...problem, detail: messageOf(apiError), error }
    : { ...problem, error };

const OAUTH_ERRORS: Partial<Record<ErrorCode, string>> = {
  V2_INVALID_CREDENTIALS: 'invalid_client',
  V2_UNSUPPORTED_GRANT: 'unsupported_grant_type',
  V2_INVALID_SCOPE: 'invalid_scope',
  V2_THROTTLED: 'temporarily_unavailable',
  INTERNAL: 'server_error',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
};

/** RFC 6749, section 5.2, requires a string under `error`. Our members move to `detail`, which clients read as well. */
const withOauthError = ({ error: detail, ...problem }: Record<string, unknown>, apiError: ApiError) => ({
  ...problem,
  error: OAUTH_ERRORS[apiError.code] ?? 'invalid_request',
  error_description: messageOf(apiError),
  detail,
});

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Adds `effect` to the error of a write: `none`, unless the error already has one. */
export function withEffect(apiError: ApiError, method: string): ApiError {
  const effect: Effect | undefined = apiError.details.effect ?? (writes.has(method) ? 'none' : undefined);
  return effect === undefined ? apiError : new ApiError(apiError.code, { ...apiError.details, effect });
}
