import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { listOperations, type Operation } from '../contract/document.ts';
import type { AnyHandlers, Call, Commit, QuotaUse } from '../contract/handler.ts';
import type { Accepted } from '../intents/accept.ts';
import { ApiError } from '../kernel/errors.ts';
import { type OwnerId, requestDigest } from '../kernel/ids.ts';
import { callerId, type Partner } from '../kernel/principal.ts';
import { noteWork } from '../kernel/work.ts';
import { callerAddress } from './address.ts';
import { authenticate, getScheme, nobody } from './authenticate.ts';
import { readBody } from './body.ts';
import { serveConsole } from './console.ts';
import { CROSS_ORIGIN_PATHS, restrictOrigin } from './cors.ts';
import type { EdgeDeps } from './deps.ts';
import { serveDocs } from './docs.ts';
import { idempotentResponse } from './idempotency.ts';
import { DEFAULT_PREFERENCE, readPrefer } from './prefer.ts';
import { rejectInRecovery } from './recovery-mode.ts';
import { recordingLack, recordingRejections } from './rejections.ts';
import { serveRoot } from './root.ts';
import { isEventStream, sendEventStream } from './stream.ts';
import { newSpend, type Spend, spendAddress } from './throttle.ts';
import { type RequestParts, type ResponseCheck, requestValidator, responseCheck, type Validator } from './validate.ts';

const MINUTE_S = 60;

/** What the routes need, and the use of the quotas. */
type RouteDeps = EdgeDeps & { quotaUse: QuotaUse };

/**
 * Makes the routes of the contract. `byName` runs first and finds paths without parameters in a map, because the router
 * tries its routes one by one. Throws if an operation has no handler, a handler no operation, or a scheme no check.
 */
export function contractRoutes(given: EdgeDeps, handlers: AnyHandlers): { byName: Middleware; router: Router } {
  const router = new Router({ strict: true, sensitive: true });
  const operations = listOperations();
  const named = new Set<string>(operations.map(({ id }) => id));
  const idle = Object.keys(handlers).filter((id) => !named.has(id));
  if (idle.length > 0) throw new Error(`Handlers without an operation: ${idle.join(', ')}`);
  const literal = new Map<string, Route>();
  const { spendQuota, quotaUse } = quotas(given.config.THROTTLE_SCALE);
  const deps = { ...given, quotaUse };
  for (const operation of byLiteralFirst(operations)) {
    const route = routeOf(operation, handlers[operation.id], deps, spendQuota);
    router.register(operation.path.replace(/\{(\w+)\}/g, ':$1'), [operation.method], route);
    if (!operation.path.includes('{')) literal.set(`${operation.method.toUpperCase()} ${operation.path}`, route);
  }
  serveRoot(router);
  serveDocs(router);
  serveConsole(router);
  return { byName: (ctx, next) => literal.get(`${ctx.method} ${ctx.path}`)?.(ctx) ?? next(), router };
}

/** A literal segment comes before a parameter at the same position, so that /close is never parsed as an id. */
const byLiteralFirst = (operations: Operation[]) =>
  [...operations].sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));

type Route = (ctx: Context) => Promise<void>;

function routeOf(
  operation: Operation,
  handler: AnyHandlers[Operation['id']] | undefined,
  deps: RouteDeps,
  spendQuota: SpendQuota,
): Route {
  if (!handler) throw new Error(`Operation ${operation.id} has no handler`);
  for (const { scheme } of operation.security.flat()) getScheme(scheme);
  let validate: Validator | undefined; // compiled at first use: all of them would cost a start a second of CPU
  let check: ResponseCheck | undefined;
  const hasRoles = operation.security.flat().some(({ scheme }) => scheme === 'adminBearer');
  const isCrossOrigin = operation.path.startsWith(CROSS_ORIGIN_PATHS);
  const headerNames = operation.parameters.flatMap(({ name, in: place }) => (place === 'header' ? name : []));
  const identify = async (ctx: Context) => {
    if (operation.throttled) return throttledCaller(operation, ctx, deps);
    const onLack = hasRoles ? recordingLack({ ctx, operation, deps }) : undefined;
    return { principal: await authenticate(operation, ctx, deps, onLack), spend: undefined };
  };

  return async (ctx) => {
    ctx.state.operation = operation.id;
    ctx.state.oauthErrors = operation.oauthErrors;
    if (operation.security.flat().length > 0 || operation.method !== 'get') ctx.set('Cache-Control', 'no-store');
    const { principal, spend } = await identify(ctx).catch(async (error) => {
      if (!(error instanceof ApiError)) await readBody(ctx, operation).catch(() => {}); // it may name an order: see effectDetails
      throw error;
    });
    if (isCrossOrigin) restrictOrigin(ctx, principal);
    ctx.state.caller = principal.kind;
    if (principal.kind === 'partner') spendQuota(ctx, principal);
    if (principal.owner) noteWork({ tenant: principal.owner });
    const parts = await readParts(ctx, operation, headerNames);
    if (deps.config.RECOVERY_MODE && operation.method !== 'get') rejectInRecovery(operation, ctx);
    const run = async () => {
      ctx.state.isWriting = operation.keepsResponses; // from here on, a fault may come after its commit
      validate ??= requestValidator(operation);
      validate(parts);
      const call = toCall(ctx, operation, parts, { principal, spend }, deps);
      return operation.keepsResponses && call.context.idempotency_key
        ? idempotentResponse({ ctx, call, deps }, (commit) => handler({ ...call, commit }))
        : handler(call);
    };
    const isOperators = principal.kind === 'admin' && operation.method !== 'get';
    const reply = await (isOperators
      ? recordingRejections({ ctx, operation, adminId: principal.adminId, principal, parts, deps }, run)
      : run());
    if (deps.config.VALIDATE_RESPONSES) {
      check ??= responseCheck(operation);
      check(reply.status, reply.body);
    }
    ctx.set(reply.headers ?? {});
    if (operation.streams && isEventStream(reply.body)) return sendEventStream(ctx, reply.body);
    ctx.body = reply.body === undefined ? '' : reply.body;
    ctx.status = reply.status; // after the body: an absent body sets 204
  };
}

type SpendQuota = (ctx: Context, partner: Partner) => void;

/**
 * Makes the request quotas of partners in this process: a bucket of each, which a minute fills. It is in memory, and the
 * quota is read with the key, so a request costs no round trip; each process counts its own share. Sets the `RateLimit`
 * headers, and throws RATE_LIMITED when the bucket is empty.
 */
function quotas(scale: number): { spendQuota: SpendQuota; quotaUse: QuotaUse } {
  const buckets = new Map<string, { left: number; atMs: number; rejected: number }>();
  const read = (owner: OwnerId, perMinute: number) => {
    const budget = Math.max(1, Math.floor(perMinute * scale));
    const perS = budget / MINUTE_S;
    const nowMs = performance.now();
    const bucket = buckets.get(owner) ?? { left: budget, atMs: nowMs, rejected: 0 };
    const left = Math.min(budget, bucket.left + ((nowMs - bucket.atMs) / 1_000) * perS);
    return { budget, perS, nowMs, left, rejected: bucket.rejected };
  };
  const quotaUse: QuotaUse = (owner, perMinute) => {
    const { budget, left, rejected } = read(owner, perMinute);
    return { quota_used: Math.ceil(budget - left), quota_rejections: rejected };
  };
  const spendQuota: SpendQuota = (ctx, { owner, perMinute }) => {
    const { budget, perS, nowMs, left, rejected } = read(owner, perMinute);
    const isTaken = left >= 1;
    buckets.set(owner, { left: isTaken ? left - 1 : left, atMs: nowMs, rejected: isTaken ? rejected : rejected + 1 });
    const remaining = isTaken ? Math.floor(left - 1) : 0;
    ctx.set('RateLimit-Policy', `"requests";q=${budget};w=${MINUTE_S}`);
    ctx.set('RateLimit', `"requests";r=${remaining};t=${Math.ceil((budget - remaining) / perS)}`);
    if (!isTaken) throw new ApiError('RATE_LIMITED', { retryAfterS: Math.max(1, (1 - left) / perS) });
  };
  return { spendQuota, quotaUse };
}

/**
 * Authenticates the caller of a throttled operation and counts the attempt. For an open operation it counts before it
 * checks credentials; else it counts valid callers, and attempts with wrong credentials by address.
 */
async function throttledCaller(operation: Operation, ctx: Context, deps: RouteDeps) {
  const spend = newSpend(ctx, deps);
  const spendUnknown = () => spendAddress(operation, callerAddress(ctx, nobody), '', spend);
  if (operation.isOpen) await spendUnknown();
  const principal = await authenticate(operation, ctx, deps).catch(async (apiError) => {
    if (!operation.isOpen) await spendUnknown();
    throw apiError;
  });
  if (!operation.isOpen) await spendAddress(operation, callerAddress(ctx, principal), principal.owner, spend);
  return { principal, spend };
}

async function readParts(ctx: Context, operation: Operation, headerNames: string[]): Promise<RequestParts> {
  return {
    path: { ...ctx.params },
    query: { ...ctx.query },
    header: Object.fromEntries(headerNames.map((name) => [name, ctx.get(name) || undefined])),
    body: await readBody(ctx, operation),
  };
}

function toCall(
  ctx: Context,
  operation: Operation,
  parts: RequestParts,
  { principal, spend }: { principal: Call['principal']; spend: Spend | undefined },
  deps: RouteDeps,
): Call {
  const key = keyOf(ctx, principal);
  const prefer = ctx.get('Prefer') === '' ? DEFAULT_PREFERENCE : readPrefer(ctx.get('Prefer'));
  const trader = ctx.get('Trader-ID').toLowerCase() || ctx.get('X-Prop-Account');
  const call = {
    operation: operation.id,
    deps,
    principal,
    requestId: ctx.state.requestId,
    get address() {
      return callerAddress(ctx, principal).address;
    },
    get network() {
      return callerAddress(ctx, principal).network;
    },
    commit: (write: Parameters<Commit>[0]) => write(deps.db),
    throttle: spend ?? lazily(() => newSpend(ctx, deps)),
    raw: ctx.state.rawBody ?? '',
    waitMs: prefer.waitMs,
    ...parts,
    context: {
      owner: principal.owner,
      digest: requestDigest(operation.id, parts.path, parts.query, parts.body, trader, callerId(principal)),
      request_id: ctx.state.requestId,
      ...(key && { idempotency_key: principal.kind === 'user' ? `${principal.userId} ${key}` : key }),
    },
    async settled(accepted: Accepted) {
      ctx.set('Intent-Id', accepted.id);
      ctx.state.intentId = accepted.id;
      noteWork({ intent_id: accepted.id });
      if (accepted.replayed) ctx.set('Idempotent-Replayed', 'true');
      const intent = await deps.wait(accepted, prefer.waitMs);
      if (intent.settled_at === null || ctx.get('Prefer') !== '') ctx.set('Preference-Applied', prefer.applied);
      return intent;
    },
  };
  return call as unknown as Call; // as: the parts were checked against the schemas of the operation
}

/** Makes the counter of a request on first use: most operations count nothing. */
function lazily(make: () => Spend): Spend {
  let spend: Spend | undefined;
  return (...budgets) => {
    spend ??= make();
    return spend(...budgets);
  };
}

/**
 * The caller's Idempotency-Key, prefixed with the caller's id, so that the keys of two users of one app never collide.
 */
function keyOf(ctx: Context, principal: Call['principal']): string {
  const key = ctx.get('Idempotency-Key');
  return key && callerId(principal) !== principal.owner ? `${callerId(principal)}:${key}` : key;
}

/** The error for a request without a route: METHOD_NOT_ALLOWED if the path exists, else NOT_FOUND. */
export const noRoute = (status: number): ApiError =>
  new ApiError(status === 405 || status === 501 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
