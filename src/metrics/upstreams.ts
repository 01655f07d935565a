import type { Logger } from 'pino';
import type { Outgoing, SentRequest, Webhooks } from '../adapters/webhook/types.ts';
import type { IntentId } from '../kernel/ids.ts';
import { OUR_CREDENTIALS, type Pauses } from '../kernel/pauses.ts';
import type { Reach } from '../kernel/shared-upstream.ts';
import { spanContextOfIntent, spanSince } from '../kernel/spans.ts';
import { epochMs, presentWork, type Work, workingOn } from '../kernel/work.ts';
import type { Metrics } from './registry.ts';

type Upstream = 'netvenue' | 'exvenue' | 'registrar' | 'processor' | 'mail';
type Watched = Pick<Metrics, 'calls' | 'authErrors' | 'reached'>;

/** Kinds of results that no response of the upstream gave. */
const FAILED = new Set(['unknown', 'unreachable', 'unreadable', 'threw']);

/**
 * Wraps an adapter: each call is timed, counted by the kind of its result, and logged in one line with the status of
 * its last response and the cause of a result that is no success. Reads of orders are kept in `shown`. Rejected
 * credentials are counted separately and logged as an error, because no caller can correct them; if they are this
 * process's own, `pauses` notes it. `isTenants`: they are a tenant's.
 */
export function watched<Adapter extends object>(
  upstream: Upstream,
  adapter: Adapter,
  metrics: Watched,
  log: Logger,
  { shown, ...credentials }: { shown?: CallStates } & Credentials = {},
): Adapter {
  for (const others of ['serve', 'tenant', 'none']) metrics.authErrors.inc({ upstream, others }, 0); // shown from the start: else the first one is no increase
  const members = Object.entries(adapter).map(([call, member]) => {
    const watch = (startedAt: number, result: unknown, on: Work, about: string) => {
      noteResult({ upstream, call, startedAt, result, on }, metrics, log, credentials);
      if (shown && SHOWING_ORDERS.has(call)) noteShown(shown, `${call} ${about}`, call, result);
    };
    return [call, typeof member === 'function' ? timed(member.bind(adapter), watch) : member];
  });
  return Object.fromEntries(members) as Adapter; // as: it has the same members
}

/** Wraps a function and observes the promises it returns. A synchronous result is not a call to an upstream. */
const timed =
  (
    call: (...args: unknown[]) => unknown,
    watch: (startedAt: number, result: unknown, on: Work, about: string) => void,
  ) =>
  (...args: unknown[]): unknown => {
    const startedAt = performance.now();
    const on: Work = { ...presentWork(), isAsked: false }; // its own object, because concurrent calls each note their results
    const result = workingOn(on, () => call(...args));
    if (!(result instanceof Promise)) return result;
    result.then(
      (data) => watch(startedAt, data, on, args.slice(0, 2).join(' ')),
      () => watch(startedAt, { kind: 'threw' }, on, args.slice(0, 2).join(' ')),
    );
    return result;
  };

type Called = { upstream: Upstream; call: string; startedAt: number; result: unknown; on: Work };

/**
 * A result without a request is not counted as a call: it comes from memory, or this service had no turn, budget or slot for it. The latter is
 * logged, but says nothing about the upstream.
 */
function noteResult(
  { upstream, call, startedAt, result, on }: Called,
  metrics: Watched,
  log: Logger,
  credentials: Credentials,
): void {
  const { kind, slug, why } = Object(result) as { kind?: unknown; slug?: unknown; why?: unknown }; // as: the result may be any value
  if (typeof kind !== 'string') return;
  const hasFailed = FAILED.has(kind);
  if (!on.isAsked && !hasFailed) return;
  const seconds = secondsSince(startedAt);
  const cause = slug ?? why;
  const ms = Math.round(seconds * 1000);
  const line = { result: kind, ...(on.status && { status: on.status }), ...(typeof cause === 'string' && { cause }) };
  log.info({ upstream, call, ...line, ms });
  on.spans?.add(spanSince(startedAt, { name: `${upstream} ${call}`, kind: 'client', hasFailed, attributes: line }));
  if (!on.isAsked) return;
  metrics.calls.observe({ upstream, call, result: kind }, seconds);
  noteReach(metrics, { upstream, call, error: hasFailed ? String(cause ?? kind) : null });
  if (!OUR_CREDENTIALS.has(String(cause))) return;
  noteRejected(upstream, metrics, credentials);
  log.error({ alert: 'credentials_rejected', upstream, call }, 'an upstream rejected our credentials');
}

/** Whose credentials an adapter has: a tenant's, or those of this process, whose work `pauses` leaves to others while they are rejected. */
type Credentials = { pauses?: Pick<Pauses, 'note' | 'left'>; isTenants?: boolean };

/** Counts a call that an upstream rejected because of our credentials, or that was not made because of them. */
export function noteRejected(
  upstream: Upstream,
  { authErrors }: Pick<Metrics, 'authErrors'>,
  { pauses, isTenants = false }: Credentials,
): void {
  pauses?.note(upstream);
  const isServed = pauses?.left().includes(upstream) ?? false;
  authErrors.inc({ upstream, others: isTenants ? 'tenant' : isServed ? 'serve' : 'none' });
}

function noteReach({ reached }: Watched, { upstream, call, error }: Pick<Reach, 'upstream' | 'call' | 'error'>): void {
  const is_reachable = error === null;
  const calledAtMs = epochMs();
  const before = reached.get(`${upstream} ${call}`);
  const sinceMs = before?.is_reachable === is_reachable ? before.sinceMs : calledAtMs;
  const succeededAtMs = is_reachable ? calledAtMs : (before?.succeededAtMs ?? null);
  reached.set(`${upstream} ${call}`, { upstream, call, is_reachable, sinceMs, calledAtMs, succeededAtMs, error });
}

/** The latest reads that show a trader's orders, at most 32 traders' until the map is cleared: a sample of what is read anyway. */
export type CallStates = Map<string, { call: string; data: unknown }>;

const SHOWING_ORDERS = new Set(['dashboard', 'walletDashboard', 'orders', 'openOrders', 'historicalOrders', 'fills']);
const MOST_SHOWN = 32;

function noteShown(shown: CallStates, name: string, call: string, result: unknown): void {
  const { kind, data } = Object(result) as { kind?: unknown; data?: unknown }; // as: the result may be any value
  if (kind === 'found' && (shown.size < MOST_SHOWN || shown.has(name))) shown.set(name, { call, data });
}

/** Wraps the webhook client: each attempt is timed, counted by its result and logged. */
export const watchedWebhooks = (
  webhooks: Webhooks,
  { attempts }: Pick<Metrics, 'attempts'>,
  log: Pick<Logger, 'info'>,
): Webhooks => ({
  ...webhooks,
  async send(outgoing) {
    const startedAt = performance.now();
    const sent = await webhooks.send(outgoing);
    attempts.observe({ result: resultOf(sent) }, sent.durationMs / 1000);
    const { deliveryId: delivery_id } = outgoing;
    log.info({ upstream: 'webhook', call: 'send', delivery_id, ms: Math.round(sent.durationMs), ...lineOf(sent) });
    traceAttempt(startedAt, outgoing, sent);
    return sent;
  },
});

/** An attempt to deliver an event about an intent belongs to the trace of that intent, any other to the task that makes it. */
function traceAttempt(
  startedAt: number,
  { deliveryId: delivery_id, eventType, body }: Outgoing,
  sent: SentRequest,
): void {
  const { spans } = presentWork();
  if (!spans) return;
  const attributes = { delivery_id, ...lineOf(sent) };
  const hasFailed = sent.kind === 'fault' || sent.status >= 300;
  const span = () => spanSince(startedAt, { name: `webhook ${eventType}`, kind: 'client', hasFailed, attributes });
  const { intent_id } = Object(JSON.parse(body).data) as { intent_id?: IntentId }; // as: an event of ours
  if (intent_id === undefined) spans.add(span());
  else spans.addTo(spanContextOfIntent(intent_id), span);
}

const resultOf = (sent: SentRequest) => (sent.kind === 'fault' ? sent.fault : statusClass(sent.status));

const lineOf = (sent: SentRequest) =>
  sent.kind === 'fault' ? { result: 'fault', cause: sent.fault } : { result: 'response', status: sent.status };

const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
