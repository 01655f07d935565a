import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import Koa, { type Context, type Middleware, type Next, type Request } from 'koa';
import type { AnyHandlers } from '../contract/handler.ts';
import { databaseIsAway, wasGivenUp } from '../db/conflicts.ts';
import { errorOfV2 } from '../kernel/codes-of-v2.ts';
import { ApiError, type ErrorDetails } from '../kernel/errors.ts';
import { MOST_RECORDS } from '../kernel/request-records.ts';
import { epochMs, newWork, workingOn } from '../kernel/work.ts';
import { CROSS_ORIGIN_PATHS, crossOrigin } from './cors.ts';
import type { EdgeDeps } from './deps.ts';
import { respondToUnreadable } from './malformed.ts';
import { reject, withEffect } from './respond.ts';
import { contractRoutes, noRoute } from './router.ts';
import { asStoredFailure, callerIds, isRepeatable } from './stored-failure.ts';
import { traceRequest } from './trace.ts';

/**
 * Longer than Heroku's router keeps idle connections, so that the router closes them first:
 * https://devcenter.heroku.com/articles/http-routing#keepalives
 */
const KEEP_ALIVE_MS = 95_000;
const HEADERS_WITHIN_MS = 15_000;
const REQUEST_WITHIN_MS = 30_000;
const READ_WITHIN_MS = 120_000;
const STRICT_TRANSPORT = 'max-age=31536000'; // a year: browsers use https only (RFC 6797)

/** Responds to requests for what lies beside the contract: `at` and every path below it. */
export type Beside = { at: string; respond(request: IncomingMessage, response: ServerResponse): void };

/**
 * Makes the HTTP edge as a Node server, not yet listening. Throws if contract and handlers do not match. `beside` is what a local
 * trial serves; no process of production has it. `readWithinMs`: how long a caller may take to read a response.
 */
export function createEdge(
  deps: EdgeDeps,
  handlers: AnyHandlers,
  beside?: Beside,
  readWithinMs = READ_WITHIN_MS,
): Server {
  const { TRUSTED_PROXIES } = deps.config;
  const app = new Koa({ proxy: TRUSTED_PROXIES > 0, maxIpsCount: TRUSTED_PROXIES });
  Object.defineProperty(app.request, 'query', { get: parsedQuery });
  app.on('error', (err) => deps.log.debug({ err }, 'client disconnected')); // all other faults are rendered below
  app.use(breakUnread(readWithinMs));
  app.use(respondToAll(deps));
  app.use(under(CROSS_ORIGIN_PATHS, crossOrigin(deps.origins)));
  const { byName, router } = contractRoutes(deps, handlers);
  app.use(byName);
  app.use(router.routes());
  app.use(router.allowedMethods());
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_WITHIN_MS, requireHostHeader: false }, // see requireAddress
    withBeside(app.callback(), beside),
  );
  server.headersTimeout = HEADERS_WITHIN_MS;
  respondToUnreadable(server, deps.config.PUBLIC_URL);
  return server;
}

/** The members of a query. Koa's own parser is quadratic: 15 kB of one repeated member take it a second. */
function parsedQuery(this: Request) {
  return parse(this.querystring, '&', '=', { maxKeys: 0 });
}

function withBeside(contract: RequestListener, beside: Beside | undefined): RequestListener {
  if (!beside) return contract;
  const isBeside = new RegExp(`^${beside.at}(?=[/?]|$)`);
  return (request, response) =>
    isBeside.test(request.url ?? '') ? beside.respond(request, response) : contract(request, response);
}

/** Runs a middleware for the paths that begin with a prefix only. */
const under =
  (prefix: string, middleware: Middleware): Middleware =>
  (ctx, next) =>
    ctx.path.startsWith(prefix) ? middleware(ctx, next) : next();

/**
 * Breaks the connection of a caller that does not read its response: until then it is kept in memory, and the process cannot stop.
 * Streams have limits of their own.
 */
const breakUnread =
  (withinMs: number): Middleware =>
  async (ctx, next) => {
    await next();
    if (ctx.respond === false || ctx.res.destroyed) return;
    const unread = setTimeout(() => ctx.res.destroy(), withinMs).unref();
    ctx.res.once('close', () => clearTimeout(unread));
  };

/** Gives every request an id, every failure a problem document, and every response one log line. */
const respondToAll = (deps: EdgeDeps) => async (ctx: Context, next: Next) => {
  const startedAt = performance.now();
  const requestId = wellFormed(ctx.get('X-Request-Id')) ?? randomUUID();
  ctx.state.requestId = requestId;
  ctx.state.receivedAt = startedAt;
  ctx.set('X-Request-Id', requestId);
  ctx.set('X-Content-Type-Options', 'nosniff');
  if (deps.config.PUBLIC_URL.startsWith('https:')) ctx.set('Strict-Transport-Security', STRICT_TRANSPORT);
  const on = newWork({ request_id: requestId });
  await workingOn(on, async () => {
    await respond(deps, ctx, next);
    const ms = performance.now() - startedAt;
    deps.metrics.requests.observe(labelsOf(ctx), ms / 1000);
    deps.log.info({
      request_id: requestId,
      intent_id: ctx.state.intentId,
      operation: ctx.state.operation,
      caller: ctx.state.caller,
      method: ctx.method,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
    });
    const { owner, operation, caller, credential, code = null, intentId: intent_id = null } = ctx.state;
    const { requests: ended } = deps.metrics.ended;
    if (owner && operation && code !== 'INTERNAL' && ended.length < MOST_RECORDS)
      ended.push({ owner, operation, hasFailed: ctx.status >= 500 });
    if (owner && operation && deps.requests.length < MOST_RECORDS) {
      const { method, status } = ctx;
      const at_ms = epochMs();
      deps.requests.push({
        owner,
        at_ms,
        operation,
        method,
        status,
        code,
        request_id: requestId,
        intent_id,
        caller,
        credential,
        ms,
      });
    }
    if (on.spans) traceRequest(on, startedAt, ctx);
  });
};

async function respond(deps: EdgeDeps, ctx: Context, next: Next): Promise<void> {
  const path = pathOf(ctx);
  try {
    requireAddress(ctx, path);
    await next();
    if (ctx.status >= 404 && ctx.body == null) throw noRoute(ctx.response.get('Allow'));
  } catch (error) {
    const apiError = withEffect(inGeneration(asApiError(error, ctx, deps), path ?? ''), ctx.method);
    ctx.state.code = apiError.code;
    deps.metrics.errors.inc({ code: apiError.code });
    reject(ctx, apiError, { requestId: ctx.state.requestId, publicUrl: deps.config.PUBLIC_URL });
  }
}

/** The path of a request; undefined if its target is an absolute form that is no URL. */
function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}

/**
 * Throws MALFORMED_REQUEST for a target that is no URL, and without a Host or with two (RFC 9112, section 3.2). Node responds to the former without
 * a body, and of two it takes the first, where a proxy may have taken the other.
 */
function requireAddress({ req }: Context, path: string | undefined): void {
  const hosts = req.rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host');
  const needsHost = req.httpVersionMajor === 1 && req.httpVersionMinor > 0;
  if (path === undefined || hosts.length > 1 || (needsHost && hosts.length === 0))
    throw new ApiError('MALFORMED_REQUEST');
}

/** A request without an operation can have any method. Its method label is constant, to bound the number of series. */
const labelsOf = ({ state, method, status }: Context) => ({
  operation: state.operation ?? 'none',
  method: state.operation ? method : 'any',
  status: `${Math.floor(status / 100)}xx`,
});

const wellFormed = (id: string) => (/^[A-Za-z0-9._:-]{1,128}$/.test(id) ? id : undefined);

/** The error with the code of the path's generation. */
const inGeneration = (apiError: ApiError, path: string) => (path.startsWith('/v2/') ? errorOfV2(apiError) : apiError);

/** Anything but an `ApiError` is a fault: the database is away or gave the statement up, or a bug. The response contains no internal detail. */
function asApiError(error: unknown, ctx: Context, { log }: EdgeDeps): ApiError {
  if (error instanceof ApiError) return asStoredFailure(error, ctx);
  const [away, givenUp] = [databaseIsAway(error), wasGivenUp(error)];
  log.error(
    { request_id: ctx.state.requestId, operation: ctx.state.operation, err: error },
    away ? 'database away' : givenUp ? 'statement given up' : 'bug',
  );
  return new ApiError(away || givenUp ? 'SERVICE_UNAVAILABLE' : 'INTERNAL', effectDetails(ctx));
}

/**
 * The effect is unknown once a request's intent is accepted or its write has begun, and for a request that can be a repeat of
 * an earlier one, which may have had the effect.
 */
function effectDetails(ctx: Context): ErrorDetails {
  const { intentId: intent_id, isWriting } = ctx.state;
  const retryable = isRepeatable(ctx);
  if (intent_id) return { effect: 'unknown', intent_id, retryable };
  const isRepeat = retryable || callerIds(ctx).length > 0;
  if (ctx.method === 'GET' || !(isWriting || isRepeat)) return {};
  return { effect: 'unknown', retryable: isRepeat };
}

/**
 * Tracks a server's open responses. The returned function closes the server to new connections, waits until every
 * request in progress has its response, and closes idle keep-alive connections. After `cutAfterMs` a caller that still reads its
 * response, or sends its body, is cut: a reader may take an hour, and of a closed server Node limits no time of a request.
 */
export function drainable(server: Server): (cutAfterMs: number) => Promise<void> {
  const open = new Set<ServerResponse>();
  const drained = Promise.withResolvers<void>();
  let draining = false;

  server.prependListener('request', (_request, response) => {
    open.add(response);
    if (draining) closeConnectionAfter(response);
    response.once('close', () => {
      open.delete(response);
      if (draining && open.size === 0) drained.resolve();
    });
  });

  return async (cutAfterMs) => {
    const closed = new Promise((resolve) => server.close(resolve));
    draining = true;
    for (const response of open) closeConnectionAfter(response);
    const cutting = setTimeout(() => {
      for (const response of open) if (response.headersSent || !response.req.complete) response.destroy();
    }, cutAfterMs);
    if (open.size > 0) await drained.promise;
    clearTimeout(cutting);
    server.closeAllConnections(); // the remaining ones are idle
    await closed;
  };
}

function closeConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
