import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { databaseIsAway } from '../db/conflicts.ts';
import { Refusal, type RefusalDetails } from '../kernel/refusals.ts';
import type { WebRuntime } from '../runtime.ts';
import { asRecorded } from './recorded.ts';
import { refuse, withEffect } from './respond.ts';
import { contractRoutes, noRoute } from './router.ts';
import { answerUnreadable } from './unreadable.ts';

const KEEP_ALIVE_MS = 65_000; // longer than a router's own, so that it and not we end an idle connection
const HEADERS_WITHIN_MS = 15_000;
const REQUEST_WITHIN_MS = 30_000;

/** The HTTP edge as a node server, not yet listening. Throws when contract and handlers do not match. */
export function createEdge(runtime: WebRuntime): Server {
  const { TRUSTED_PROXIES } = runtime.config;
  const app = new Koa({ proxy: TRUSTED_PROXIES > 0, maxIpsCount: TRUSTED_PROXIES });
  app.on('error', (err) => runtime.log.debug({ err }, 'a request broke off')); // every other fault has its answer
  app.use(answerEverything(runtime));
  const { byName, router } = contractRoutes(runtime);
  app.use(byName);
  app.use(router.routes());
  app.use(router.allowedMethods());
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_WITHIN_MS }, app.callback());
  server.headersTimeout = HEADERS_WITHIN_MS;
  answerUnreadable(server);
  return server;
}

/** Gives every request an id, every failure a problem document, and every answer one line in the log. */
const answerEverything = (runtime: WebRuntime) => async (ctx: Context, next: Next) => {
  const startedAt = performance.now();
  const requestId = wellFormed(ctx.get('X-Request-Id')) ?? randomUUID();
  ctx.state.requestId = requestId;
  ctx.set('X-Request-Id', requestId);
  ctx.set('X-Content-Type-Options', 'nosniff');
  try {
    await next();
    if (ctx.status >= 404 && ctx.body == null) throw noRoute(ctx.status);
  } catch (error) {
    refuse(ctx, withEffect(asRefusal(error, ctx, runtime), ctx.method), requestId);
  }
  const ms = performance.now() - startedAt;
  runtime.metrics.requests.observe(labelsOf(ctx), ms / 1000);
  runtime.log.info({
    request_id: requestId,
    intent_id: ctx.state.intentId,
    operation: ctx.state.operation,
    caller: ctx.state.caller,
    method: ctx.method,
    status: ctx.status,
    ms: Math.round(ms * 10) / 10,
  });
};

/** A request that no operation took may have any method: it is counted without. */
const labelsOf = ({ state, method, status }: Context) => ({
  operation: state.operation ?? 'none',
  method: state.operation ? method : 'any',
  status: `${Math.floor(status / 100)}xx`,
});

const wellFormed = (id: string) => (/^[A-Za-z0-9._:-]{1,128}$/.test(id) ? id : undefined);

/** Anything that is not a refusal is a fault: of the database being away, or a bug. The inside stays inside. */
function asRefusal(error: unknown, ctx: Context, { log }: WebRuntime): Refusal {
  if (error instanceof Refusal) return asRecorded(error, ctx);
  const away = databaseIsAway(error);
  log.error(
    { request_id: ctx.state.requestId, operation: ctx.state.operation, err: error },
    away ? 'database away' : 'bug',
  );
  return new Refusal(away ? 'SERVICE_UNAVAILABLE' : 'INTERNAL', whatStands(ctx));
}

/** What a fault leaves behind: once its intent was accepted, a request may have its effect whatever went wrong since. */
function whatStands(ctx: Context): RefusalDetails {
  const { intentId } = ctx.state;
  if (!intentId) return {};
  return { effect: 'unknown', intent_id: intentId, retryable: ctx.get('Idempotency-Key') !== '' };
}
