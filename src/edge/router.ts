import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { listOperations, type Operation } from '../contract/document.ts';
import type { Accepted } from '../intents/accept.ts';
import { requestDigest } from '../kernel/digest.ts';
import { callerId } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { WebRuntime } from '../runtime.ts';
import { callerAddress } from './address.ts';
import { authenticate, nobody } from './authenticate.ts';
import { readBody } from './body.ts';
import { serveConsole } from './console.ts';
import { serveDocs } from './docs.ts';
import type { Call } from './handler.ts';
import { handlers } from './operations.ts';
import { readPrefer } from './prefer.ts';
import { keptAnswer } from './repeats.ts';
import { getScheme } from './schemes.ts';
import { isFeed, tellFeed } from './stream.ts';
import { isOpen, type Spend, spendAddress, spending } from './throttle.ts';
import { answerCheck, type RequestParts, requestValidator } from './validate.ts';

type AnyHandler = (call: Call) => Promise<{ status: number; body: unknown; headers?: Record<string, string> }>;

/**
 * Routes read from the contract; `byName` goes first and finds those without parameters, for the router tries one after the other.
 * Throws when an operation has no handler, a handler no operation, or a scheme no check.
 */
export function contractRoutes(runtime: WebRuntime): { byName: Middleware; router: Router } {
  const router = new Router({ strict: true, sensitive: true });
  const operations = listOperations();
  const named = new Set<string>(operations.map(({ id }) => id));
  const idle = Object.keys(handlers).filter((id) => !named.has(id));
  if (idle.length > 0) throw new Error(`Handlers without an operation: ${idle.join(', ')}`);
  const literal = new Map<string, Route>();
  for (const operation of byLiteralFirst(operations)) {
    const route = routeOf(operation, runtime);
    router.register(operation.path.replace(/\{(\w+)\}/g, ':$1'), [operation.method], route);
    if (!operation.path.includes('{')) literal.set(`${operation.method.toUpperCase()} ${operation.path}`, route);
  }
  serveDocs(router);
  serveConsole(router);
  return { byName: (ctx, next) => literal.get(`${ctx.method} ${ctx.path}`)?.(ctx) ?? next(), router };
}

/** A literal segment goes before a parameter in the same place, so that /close is never read as an id. */
const byLiteralFirst = (operations: Operation[]) =>
  [...operations].sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));

type Route = (ctx: Context) => Promise<void>;

function routeOf(operation: Operation, runtime: WebRuntime): Route {
  const handler = handlers[operation.id] as AnyHandler | undefined; // the router cannot know which operation it is
  if (!handler) throw new Error(`Operation ${operation.id} has no handler`);
  for (const { scheme } of operation.security.flat()) getScheme(scheme);
  const validate = requestValidator(operation);
  const check = runtime.config.VALIDATE_RESPONSES ? answerCheck(operation) : undefined;

  return async (ctx) => {
    ctx.state.operation = operation.id;
    ctx.state.oauthErrors = operation.oauthErrors;
    const spend = spending(ctx, runtime);
    if (isOpen(operation)) await spendAddress(operation, callerAddress(ctx, nobody), '', spend);
    const principal = await authenticate(operation, ctx, runtime).catch(async (refusal) => {
      if (!isOpen(operation)) await spendAddress(operation, callerAddress(ctx, nobody), '', spend); // strangers guess, too
      throw refusal;
    });
    ctx.state.caller = principal.kind;
    if (!isOpen(operation)) await spendAddress(operation, callerAddress(ctx, principal), principal.owner, spend);
    const parts = await readParts(ctx, operation);
    validate(parts);
    const call = toCall(ctx, operation, parts, { principal, spend }, runtime);
    const reply = await keptAnswer(ctx, operation, call, () => handler(call));
    check?.(reply.status, reply.body);
    ctx.set(reply.headers ?? {});
    if (isFeed(reply.body)) return tellFeed(ctx, reply.body);
    ctx.body = reply.body === undefined ? '' : reply.body;
    ctx.status = reply.status; // after the body, whose absence would make it a 204
  };
}

async function readParts(ctx: Context, operation: Operation): Promise<RequestParts> {
  return {
    path: { ...ctx.params },
    query: { ...ctx.query },
    header: Object.fromEntries(headersOf(operation).map((name) => [name, ctx.get(name) || undefined])),
    body: await readBody(ctx, operation),
  };
}

const headersOf = ({ parameters }: Operation) =>
  parameters.flatMap(({ name, in: place }) => (place === 'header' ? name : []));

function toCall(
  ctx: Context,
  operation: Operation,
  parts: RequestParts,
  { principal, spend }: { principal: Call['principal']; spend: Spend },
  runtime: WebRuntime,
): Call {
  const key = keyOf(ctx, principal);
  const prefer = readPrefer(ctx.get('Prefer'));
  const trader = ctx.get('Trader-ID').toLowerCase() || ctx.get('X-Prop-Account');
  const from = callerAddress(ctx, principal);
  const call = {
    operation: operation.id,
    runtime,
    principal,
    requestId: ctx.state.requestId,
    address: from.address,
    network: from.network,
    throttle: spend,
    raw: rawBody(ctx),
    waitMs: prefer.waitMs,
    ...parts,
    asking: {
      owner: principal.owner,
      digest: requestDigest(operation.id, parts.path, parts.query, parts.body, trader, callerId(principal)),
      request_id: ctx.state.requestId,
      ...(key && { idempotency_key: principal.kind === 'user' ? `${principal.userId} ${key}` : key }),
    },
    async settled(accepted: Accepted) {
      ctx.set('Intent-Id', accepted.id);
      ctx.state.intentId = accepted.id;
      if (accepted.replayed) ctx.set('Idempotent-Replayed', 'true');
      const intent = await runtime.wait(accepted, prefer.waitMs);
      if (intent.settled_at === null || ctx.get('Prefer') !== '') ctx.set('Preference-Applied', prefer.applied);
      return intent;
    },
  };
  return call as unknown as Call; // the parts have just been checked against the operation's own schemas
}

/** koa-body leaves it beside the parsed body. */
const rawBody = ({ request }: Context): string => ('rawBody' in request ? String(request.rawBody) : '');

/** The caller's Idempotency-Key. Users of one app cannot meet in a key: each one's stands under their own id. */
function keyOf(ctx: Context, principal: Call['principal']): string {
  const key = ctx.get('Idempotency-Key');
  return key && callerId(principal) !== principal.owner ? `${callerId(principal)}:${key}` : key;
}

/** The refusal of a request that no route took: another method's path, or no path at all. */
export const noRoute = (status: number): Refusal =>
  new Refusal(status === 405 || status === 501 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
