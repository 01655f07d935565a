import type { Logger } from 'pino';
import type { Sent, Webhooks } from '../adapters/webhook/types.ts';
import type { Metrics } from './registry.ts';

type Party = 'netvenue' | 'exvenue' | 'registrar' | 'processor' | 'mail';
type Watched = Pick<Metrics, 'calls' | 'authRefusals'>;

/** How adapters say that it was our credentials a party did not like. */
const OUR_CREDENTIALS = new Set(['venue_auth', 'processor_auth', 'eauth']);

/**
 * The same adapter, each call of it timed and counted by the kind of its answer. Refused credentials are counted apart and told in
 * the log as an error: no caller can mend them.
 */
export function watched<Adapter extends object>(
  party: Party,
  adapter: Adapter,
  metrics: Watched,
  log: Logger,
): Adapter {
  const members = Object.entries(adapter).map(([call, member]) => {
    const watch = (startedAt: number, answer: unknown) => noteAnswer({ party, call, startedAt, answer }, metrics, log);
    return [call, typeof member === 'function' ? timed(member.bind(adapter), watch) : member];
  });
  return Object.fromEntries(members) as Adapter; // as: member for member the same
}

/** A function whose promises are watched; what it answers at once is no call to anybody. */
const timed =
  (call: (...args: unknown[]) => unknown, watch: (startedAt: number, answer: unknown) => void) =>
  (...args: unknown[]): unknown => {
    const startedAt = performance.now();
    const answer = call(...args);
    if (!(answer instanceof Promise)) return answer;
    answer.then(
      (said) => watch(startedAt, said),
      () => watch(startedAt, { kind: 'threw' }),
    );
    return answer;
  };

type Called = { party: Party; call: string; startedAt: number; answer: unknown };

function noteAnswer({ party, call, startedAt, answer }: Called, metrics: Watched, log: Logger): void {
  const { kind, slug, why } = Object(answer) as { kind?: unknown; slug?: unknown; why?: unknown }; // as: any call may be watched
  if (typeof kind !== 'string') return;
  metrics.calls.observe({ party, call, answer: kind }, secondsSince(startedAt));
  if (!OUR_CREDENTIALS.has(String(slug ?? why))) return;
  metrics.authRefusals.inc({ party });
  log.error({ alert: 'credentials_refused', party, call }, 'a party refused our credentials');
}

/** The same way to partners' receivers, each attempt timed and counted by what came of it. */
export const watchedWebhooks = (webhooks: Webhooks, { attempts }: Pick<Metrics, 'attempts'>): Webhooks => ({
  ...webhooks,
  async send(outgoing) {
    const sent = await webhooks.send(outgoing);
    attempts.observe({ result: resultOf(sent) }, sent.durationMs / 1000);
    return sent;
  },
});

const resultOf = (sent: Sent) => (sent.kind === 'fault' ? sent.fault : statusClass(sent.status));

const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
