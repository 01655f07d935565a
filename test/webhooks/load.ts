import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from '../support/receivers.ts';
import { seeded } from '../support/seeded.ts';
import type { Writing } from '../support/webhooks.ts';

/** An endpoint of a separate app or partner (`app`), so that one event is one delivery. */
export type Reported = { app: string; id: string; secret: string; path: string };

/** Apps and partners, in turn, with one endpoint each, at `/0`, `/1` and so on of a receiver. */
export async function manyEndpoints(d: Writing, url: string, count: number): Promise<Reported[]> {
  const made: Reported[] = [];
  for (let n = 0; n < count; n += 1) {
    const app = await (n % 2 === 0 ? d.app() : d.partner());
    made.push({ app, path: `/${n}`, ...(await d.endpoint(app, `${url}/${n}`)) });
  }
  return made;
}

/** Emits events to endpoints chosen by a seed, at a rate per second. Returns their number. */
export async function emitSteadily(
  d: { emit(app: string, type: string, data: object): Promise<unknown> },
  reported: Reported[],
  { perS, forS, seed }: { perS: number; forS: number; seed: number },
): Promise<number> {
  const next = seeded(seed);
  const startedAt = performance.now();
  const emitting: Promise<unknown>[] = [];
  const total = perS * forS;
  for (let n = 0; n < total; n += 1) {
    const dueMs = (n * 1000) / perS - (performance.now() - startedAt);
    if (dueMs > 1) await sleep(dueMs);
    const { app } = reported[Math.floor(next() * reported.length)] as Reported;
    emitting.push(d.emit(app, 'load', { n }));
  }
  await Promise.all(emitting);
  return total;
}

/** Milliseconds from an event to its first byte at the receiver. */
export const lateness = ({ at, body }: Received): number =>
  at - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp);

/** The value below which this share of the values lies. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
