import Router from '@koa/router';
import type { Middleware } from 'koa';
import { listOperations, type Operation } from '../contract/document.ts';
import type { AnyHandlers } from '../contract/handler.ts';
import { ApiError } from '../kernel/errors.ts';
import { requiredRole } from '../kernel/operator-roles.ts';
import { getScheme } from './authenticate.ts';
import { serveConsole } from './console.ts';
import type { EdgeDeps } from './deps.ts';
import { serveDocs } from './docs.ts';
import { quotas } from './quota.ts';
import { serveRoot } from './root.ts';
import { type Route, routeOf } from './route.ts';

/**
 * Makes the routes of the contract. `byName` runs first and finds paths without parameters in a map, because the router
 * tries its routes one by one. Throws if an operation has no handler, a handler no operation, a scheme no check, or an
 * operation of operators no role.
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
    const handler = handlers[operation.id];
    if (!handler) throw new Error(`Operation ${operation.id} has no handler`);
    for (const { scheme, roles } of operation.security.flat()) {
      getScheme(scheme);
      if (OPERATOR_SCHEMES.has(scheme)) requiredRole(roles, operation.id);
    }
    const route = routeOf(operation, handler, deps, spendQuota);
    router.register(operation.path.replace(/\{(\w+)\}/g, ':$1'), [operation.method], route);
    if (!operation.path.includes('{')) literal.set(`${operation.method.toUpperCase()} ${operation.path}`, route);
  }
  serveRoot(router);
  serveDocs(router);
  serveConsole(router);
  return { byName: (ctx, next) => literal.get(`${ctx.method} ${ctx.path}`)?.(ctx) ?? next(), router };
}

const OPERATOR_SCHEMES: ReadonlySet<string> = new Set(['adminCookie', 'adminBearer']);

/** A literal segment comes before a parameter at the same position, so that /close is never parsed as an id. */
const byLiteralFirst = (operations: readonly Operation[]) =>
  [...operations].sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));

/** The error for a request without a route: METHOD_NOT_ALLOWED if the path exists and has other methods, else NOT_FOUND. */
export const noRoute = (allow: string | undefined): ApiError =>
  new ApiError(allow ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
