import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../support/caller.ts';

const KEEP_ASKING_MS = 60_000; // longer than any outage in these tests
const A_MINUTE_MS = 60_000; // in which a trader's pace is counted
const PAUSE_MS = 200;

/** A rate per second, while `goOn` returns true for the number so far. */
export type Pace = { perSecond: number; goOn(count: number): boolean };

/**
 * Repeats a call at a steady rate, whether or not earlier ones have ended; returns all results. The first that rejects ends
 * it.
 */
export async function atPace<T>({ perSecond, goOn }: Pace, act: (n: number) => Promise<T>): Promise<T[]> {
  const acts: Promise<T>[] = [];
  const startedAt = performance.now();
  let hasFailed = false;
  for (let n = 0; !hasFailed && goOn(n); n++) {
    const acting = act(n);
    acting.catch(() => {
      hasFailed = true; // reported by the line below the loop
    });
    acts.push(acting);
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()));
  }
  return Promise.all(acts);
}

/**
 * Sends one request until the service accepts it: the same request under the same id again, while the response is 503
 * or missing, and, of a caller that `mayBePaced`, after a 429 when its Retry-After is over. Returns the id of its intent.
 * Throws on any other response.
 */
export async function acknowledged(ask: () => Promise<Reply>, { mayBePaced = false } = {}): Promise<string> {
  const askMs = KEEP_ASKING_MS + (mayBePaced ? A_MINUTE_MS : 0);
  for (const until = Date.now() + askMs; ; ) {
    const reply = await ask().catch((error: Error) => error);
    const pause = pauseAfter(reply);
    if (pause === null || (pause.isPace && !mayBePaced)) return intentOf(reply as Reply); // as: an error has a pause
    await sleep(pause.ms);
    if (Date.now() > until) throw new Error(`Not accepted within ${askMs} ms`, { cause: reply });
  }
}

/** How long a caller waits before it repeats a request, and whether for its own pace. Null: it does not. */
function pauseAfter(reply: Reply | Error): { ms: number; isPace: boolean } | null {
  if (reply instanceof Error || reply.status === 503) return { ms: PAUSE_MS, isPace: false };
  const afterS = Number(reply.headers['retry-after']);
  return reply.status === 429 && afterS > 0 ? { ms: afterS * 1_000, isPace: true } : null;
}

function intentOf({ status, headers, body }: Reply): string {
  const id = headers['intent-id'];
  if ((status === 200 || status === 202) && typeof id === 'string') return id;
  throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Whether a promise is still pending, at any time. */
export function underWay(work: Promise<unknown>): () => boolean {
  let open = true;
  const close = () => {
    open = false;
  };
  work.then(close, close);
  return () => open;
}
