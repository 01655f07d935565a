import { setTimeout as sleep } from 'node:timers/promises';

const MINUTE_MS = 60_000;

/** Waits for the next minute if this one ends within the given time. Returns the start of the minute, in epoch ms. */
export async function fromMinuteStart(leastMs: number): Promise<number> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < leastMs) await sleep(leftMs + 100);
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
}
