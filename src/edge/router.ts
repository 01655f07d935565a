import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { listOperations, type Operation } from '../contract/document.ts';
import type { AnyHandler, AnyHandlers, AnyReply } from '../contract/handler.ts';
import { ApiError } from '../kernel/errors.ts';
import { requiredRole } from '../kernel/operator-roles.ts';
import { credentialId, type Principal } from '../kernel/principal.ts';
import { isTextStream } from '../kernel/text-stream.ts';
import { noteWork } from '../kernel/work.ts';
import { authenticate, getScheme } from './authenticate.ts';
import { readBody, requireUtf8, utf8Of } from './body.ts';
import { type RouteDeps, toCall } from './call.ts';
import { serveConsole } from './console.ts';
import { CROSS_ORIGIN_PATHS, restrictOrigin } from './cors.ts';
import type { EdgeDeps } from './deps.ts';
import { serveDocs } from './docs.ts';
import { idempotentResponse } from './idempotency.ts';
import { requireNoMembers } from './no-body.ts';
import { presentBudgets, quotas, type SpendQuota } from './quota.ts';
import { rejectInRecovery } from './recovery-mode.ts';
import { recordingLack, recordingRejections } from './rejections.ts';
import { serveRoot } from './root.ts';
import { isEventStream, sendEventStream, sendTextStream } from './stream.ts';
import { type Spend, throttledCaller } from './throttle.ts';
import { type RequestParts, type ResponseCheck, requestValidator, responseCheck, type Validator } from './validate.ts';

/**
 * Makes the routes of the contract. `byName` runs first and responds to paths without parameters, which are in a map, because the router
 * tries its routes one by one. Throws if an operation has no handler, a handler no operation, a scheme no check, or an
 * operation of operators no role.
 */
export function contractRoutes(given: EdgeDeps, handlers: AnyHandlers): { byName: Middleware; router: Router } {
  const router = new Router({ strict: true, sensitive: true });
  const operations = listOperations();
  const ids = new Set<string>(operations.map(({ id }) => id));
  const idle = Object.keys(handlers).filter((id) => !ids.has(id));
  if (idle.length > 0) throw new Error(`Handlers without an operation: ${idle.join(', ')}`);
  const named = new Map<string, Map<string, Route>>();
  const { spendQuota, quotaUse } = quotas(given.config.THROTTLE_SCALE);
  const deps = { ...given, quotaUse };
  for (const operation of operations) {
    const handler = handlers[operation.id];
    if (!handler) throw new Error(`Operation ${operation.id} has no handler`);
    for (const { scheme, roles } of operation.security.flat()) {
      getScheme(scheme);
      if (OPERATOR_SCHEMES.has(scheme)) requiredRole(roles, operation.id);
    }
    const route = routeOf(operation, handler, deps, spendQuota);
    router.register(operation.path.replace(/\{(\w+)\}/g, ':$1'), [operation.method], route);
    if (operation.path.includes('{')) continue;
    const routes = named.get(operation.path) ?? new Map<string, Route>();
    named.set(operation.path, routes.set(operation.method.toUpperCase(), route));
  }
  serveRoot(router);
  serveDocs(router);
  serveConsole(router);
  return { byName: byName(named), router };
}

const OPERATOR_SCHEMES: ReadonlySet<string> = new Set(['adminCookie', 'adminBearer']);

/**
 * Responds to the paths without parameters, by path and method. Another method of such a path is not allowed, although a path with a parameter may
 * fit it: /close is never parsed as an id.
 */
const byName =
  (named: ReadonlyMap<string, ReadonlyMap<string, Route>>): Middleware =>
  (ctx, next) => {
    const routes = named.get(ctx.path);
    if (!routes) return next();
    const route = routes.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
    if (route) return route(ctx);
    ctx.set('Allow', [...(routes.has('GET') ? ['HEAD'] : []), ...routes.keys()].join(', '));
    if (ctx.method !== 'OPTIONS') throw noRoute(ctx.response.get('Allow'));
    ctx.body = '';
    return;
  };

/** The error for a request without a route: METHOD_NOT_ALLOWED if the path exists and has other methods, else NOT_FOUND. */
export const noRoute = (allow: string | undefined): ApiError =>
  new ApiError(allow ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');

/** Responds to the requests of one operation. */
type Route = (ctx: Context) => Promise<void>;

/** A request on its way through the steps: each reads what the ones before it have set. */
type Exchange = { ctx: Context; principal: Principal; spend: Spend | undefined; parts: RequestParts };

/**
 * The steps of an operation, in their order: identify, spend, read, run (validate and handle), check, send. A step throws
 * what is wrong with the request; nothing after it happens then. Who sends the body later than the headers is identified
 * again: the credentials may have ended while the caller held the body back.
 */
function routeOf(operation: Operation, handler: AnyHandler, deps: RouteDeps, spendQuota: SpendQuota): Route {
  const [{ identify, identifyAgain }, read] = [identifying(operation, deps), reading(operation, deps)];
  const [run, check] = [running(operation, handler, deps), checking(operation, deps)];

  const respond: Route = async (ctx) => {
    ctx.state.operation = operation.id;
    ctx.state.oauthErrors = operation.oauthErrors;
    ctx.set('Cache-Control', 'no-store'); // also for reads without a credential, such as the readiness of a process
    const { principal: first, spend } = await identify(ctx);
    spendRequest(ctx, operation, first, spendQuota);
    const isWhole = ctx.req.complete;
    const parts = await read(ctx);
    const principal = isWhole ? first : await identifyAgain(ctx);
    const reply = await run({ ctx, principal, spend, parts });
    check(reply);
    return send(ctx, operation, reply, deps);
  };
  return deps.config.VALIDATE_RESPONSES ? (ctx) => respond(ctx).catch(requiringListed(operation)) : respond;
}

/** Throws an error again. One whose status the contract does not list for the operation is a bug. */
const requiringListed =
  ({ id, responses }: Operation) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || responses.has(error.status)) throw error;
    throw new Error(`${id} responded with ${error.status}, which the contract does not list`, { cause: error });
  };

/** Finds who calls. Of a throttled operation it counts the attempt, once, and of an operator's a lack of rights. */
function identifying(operation: Operation, deps: RouteDeps) {
  const hasRoles = operation.security.flat().some(({ scheme }) => scheme === 'adminBearer');
  const isOperators = hasRoles && operation.security.flat().every(({ scheme }) => scheme.startsWith('admin'));
  const isCrossOrigin = operation.path.startsWith(CROSS_ORIGIN_PATHS);
  const identifyAgain = (ctx: Context): Promise<Principal> =>
    authenticate(operation, ctx, deps, hasRoles ? recordingLack({ ctx, operation, deps }) : undefined);
  const identified = async (ctx: Context) => {
    if (isOperators) noteWork({ isOperator: true }); // first: the look-up of the caller takes an operator's turn, too
    if (operation.throttled) return throttledCaller(operation, ctx, deps);
    return { principal: await identifyAgain(ctx), spend: undefined };
  };
  const identify = async (ctx: Context): Promise<Pick<Exchange, 'principal' | 'spend'>> => {
    const caller = await identified(ctx).catch(async (error) => {
      if (!(error instanceof ApiError)) await readBody(ctx, operation).catch(() => {}); // it may name an order: see effectDetails
      throw error;
    });
    if (isCrossOrigin) restrictOrigin(ctx, caller.principal);
    return caller;
  };
  return { identify, identifyAgain };
}

/** Names the caller to log lines, and takes the request from the caller's quotas. RATE_LIMITED if one is used up. */
function spendRequest(ctx: Context, { oauthErrors }: Operation, principal: Principal, spendQuota: SpendQuota): void {
  ctx.state.caller = principal.kind;
  ctx.state.owner = principal.owner;
  ctx.state.credential = credentialId(principal);
  if (principal.owner) noteWork({ tenant: principal.owner });
  if (principal.kind === 'admin') noteWork({ isOperator: true });
  if (oauthErrors) return; // a token endpoint has throttles of its own
  const { states, waitS } = spendQuota(principal);
  if (states.length > 0) presentBudgets(ctx, states);
  if (waitS > 0) throw new ApiError('RATE_LIMITED', { retryAfterS: Math.max(1, waitS) });
}

/** Reads the parts of the request, not yet checked. A write in recovery mode ends here. */
function reading(operation: Operation, { config }: RouteDeps) {
  const headerNames = operation.parameters.flatMap(({ name, in: place }) => (place === 'header' ? name : []));
  return async (ctx: Context): Promise<RequestParts> => {
    requireUtf8(ctx);
    if (!operation.body && operation.method !== 'get') await requireNoMembers(ctx);
    const parts = {
      path: { ...ctx.params },
      query: { ...ctx.query },
      header: Object.fromEntries(headerNames.map((name) => [name, headerOf(ctx, name)])),
      body: await readBody(ctx, operation),
    };
    if (config.RECOVERY_MODE && operation.method !== 'get') rejectInRecovery(operation, ctx);
    return parts;
  };
}

/** The value of a header. One without text counts as absent, but for a key: its caller takes the write for one that can be repeated. */
function headerOf(ctx: Context, name: string): string | undefined {
  const isEmptyKey = name === 'Idempotency-Key' && ctx.headers['idempotency-key'] === '';
  return utf8Of(ctx.get(name)) || (isEmptyKey ? '' : undefined);
}

/** Whose writes may change partners and their keys. */
const CHANGE_KEYS: ReadonlySet<Principal['kind']> = new Set(['admin', 'partner']);

/** Checks the request against the contract and hands it to its handler; a stored response takes the handler's place. */
function running(operation: Operation, handler: AnyHandler, deps: RouteDeps) {
  let validate: Validator | undefined; // compiled at first use: all of them would cost a start a second of CPU
  const validated = async ({ ctx, parts, principal, spend }: Exchange): Promise<AnyReply> => {
    ctx.state.isWriting = operation.keepsResponses; // from here on, a fault may come after its commit
    validate ??= requestValidator(operation);
    validate(parts);
    const call = toCall(ctx, operation, parts, { principal, spend }, deps);
    return operation.keepsResponses && call.context.idempotency_key
      ? idempotentResponse({ ctx, operation, call, deps }, (commit) => handler({ ...call, commit }))
      : handler(call);
  };
  return (exchange: Exchange): Promise<AnyReply> => {
    const { ctx, principal, parts } = exchange;
    const written = () =>
      operation.keepsResponses && CHANGE_KEYS.has(principal.kind)
        ? validated(exchange).finally(deps.forgetPartners) // before the response that says so
        : validated(exchange);
    if (principal.kind !== 'admin' || operation.method === 'get') return written();
    const { adminId } = principal;
    return recordingRejections({ ctx, operation, adminId, principal, parts, deps }, written);
  };
}

/** Holds the reply against the contract, where the setting asks for it. */
function checking(operation: Operation, { config }: RouteDeps) {
  let check: ResponseCheck | undefined;
  return ({ status, body }: AnyReply): void => {
    if (!config.VALIDATE_RESPONSES || (operation.sendsTexts && isTextStream(body))) return;
    check ??= responseCheck(operation);
    check(status, body);
  };
}

function send(
  ctx: Context,
  { streams, sendsTexts }: Operation,
  { headers, status, body }: AnyReply,
  { log }: Pick<RouteDeps, 'log'>,
): void | Promise<void> {
  ctx.set(headers ?? {});
  if (streams && isEventStream(body)) return sendEventStream(ctx, body);
  if (sendsTexts && isTextStream(body)) return sendTextStream(ctx, body, log);
  ctx.body = body === undefined ? '' : body;
  ctx.status = status; // after the body: an absent body sets 204
}
