import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../support/caller.ts';

const KEEP_ASKING_MS = 60_000; // longer than any outage made here
const PAUSE_MS = 200;

/** So many a second, as long as `goOn` says so of how many there have been. */
export type Pace = { perSecond: number; goOn(count: number): boolean };

/** Does something again and again at a steady pace, whether or not it has ended; answers what all of them answered. */
export async function atPace<T>({ perSecond, goOn }: Pace, act: (n: number) => Promise<T>): Promise<T[]> {
  const acts: Promise<T>[] = [];
  const startedAt = performance.now();
  for (let n = 0; goOn(n); n++) {
    const acting = act(n);
    acting.catch(() => {}); // told at the end, by the line below the loop
    acts.push(acting);
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()));
  }
  return Promise.all(acts);
}

/**
 * Makes one request until the service has taken it: again, the same under the same name, while the answer is 503 or none. Answers
 * the id of the intent that stands for it. Refuses any other answer.
 */
export async function acknowledged(ask: () => Promise<Reply>): Promise<string> {
  for (const until = Date.now() + KEEP_ASKING_MS; ; await sleep(PAUSE_MS)) {
    const reply = await ask().catch((error: Error) => error);
    if (!(reply instanceof Error) && reply.status !== 503) return intentOf(reply);
    if (Date.now() > until) throw new Error(`Not taken within ${KEEP_ASKING_MS} ms`, { cause: reply });
  }
}

function intentOf({ status, headers, body }: Reply): string {
  const id = headers['intent-id'];
  if ((status === 200 || status === 202) && typeof id === 'string') return id;
  throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Whether a promise is still open, asked at any time. */
export function underWay(work: Promise<unknown>): () => boolean {
  let open = true;
  const close = () => {
    open = false;
  };
  work.then(close, close);
  return () => open;
}
