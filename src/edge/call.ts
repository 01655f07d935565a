import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import type { Call, Commit, QuotaUse } from '../contract/handler.ts';
import type { Accepted } from '../intents/accept.ts';
import { requestDigest } from '../kernel/ids.ts';
import { callerId } from '../kernel/principal.ts';
import { noteWork } from '../kernel/work.ts';
import type { EdgeDeps } from './deps.ts';
import { callerAddress, newSpend, type Spend } from './throttle.ts';
import type { RequestParts } from './validate.ts';

/** What the routes need, and the use of the quotas. */
export type RouteDeps = EdgeDeps & { quotaUse: QuotaUse };

/** The call of a handler: the parts of a checked request, and what depends on its caller and its preferences. */
export function toCall(
  ctx: Context,
  operation: Operation,
  parts: RequestParts,
  { principal, spend }: { principal: Call['principal']; spend: Spend | undefined },
  deps: RouteDeps,
): Call {
  const key = keyOf(ctx, principal);
  const prefer = readPrefer(ctx.get('Prefer'));
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
    commit: (write: Parameters<Commit>[0]) => deps.db.transaction(write),
    throttle: spend ?? lazily(() => newSpend(ctx, deps)),
    accepts: (...types: string[]) => ctx.accepts(...types),
    raw: ctx.state.rawBody ?? '',
    waitMs: () => Math.max(0, prefer.waitMs - (performance.now() - ctx.state.receivedAt)),
    ...parts,
    context: {
      owner: principal.owner,
      caller: callerId(principal),
      digest: requestDigest(operation.id, parts.path, parts.query, parts.body, traderOf(parts), callerId(principal)),
      request_id: ctx.state.requestId,
      ...(key && { idempotency_key: principal.kind === 'user' ? `${principal.userId} ${key}` : key }),
    },
    submitted({ id, replayed }: Accepted) {
      ctx.set('Intent-Id', id);
      ctx.state.intentId = id;
      noteWork({ intent_id: id });
      if (replayed) ctx.set('Idempotent-Replayed', 'true');
    },
    async settled(accepted: Accepted) {
      call.submitted(accepted);
      const intent = await deps.wait(accepted, call.waitMs());
      if (intent.settled_at === null || ctx.get('Prefer') !== '') ctx.set('Preference-Applied', prefer.applied);
      return intent;
    },
  };
  return call as unknown as Call; // as: the parts were checked against the schemas of the operation
}

/** Whom a request is about, by the header of its operation. A header that the operation does not read names nobody. */
const traderOf = ({ header: { 'Trader-ID': trader, 'X-Prop-Account': account = '' } }: RequestParts): unknown =>
  typeof trader === 'string' ? trader.toLowerCase() : account;

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

const DEFAULT_WAIT_S = 20;
const LONGEST_WAIT_S = 25; // below the 30 s timeout of the platform's router
/** How long to wait for an outcome, in milliseconds, and the value for `Preference-Applied`. */
type Preference = { waitMs: number; applied: string };

/** Reads `Prefer` (RFC 7240): `wait=<seconds>`, at most 25 and by default 20, or `respond-async` for 0. Other preferences are ignored. */
function readPrefer(header: string): Preference {
  const preferences = header.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (preferences.includes('respond-async')) return { waitMs: 0, applied: 'respond-async' };
  const requested = preferences.map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1]).find(Boolean);
  const seconds = requested === undefined ? DEFAULT_WAIT_S : Math.min(Number(requested), LONGEST_WAIT_S);
  return { waitMs: seconds * 1000, applied: `wait=${seconds}` };
}
