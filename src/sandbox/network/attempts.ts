import { setTimeout as wait } from 'node:timers/promises';
import type { Requested } from './signal.ts';
import { rejected, type Verdict } from './world.ts';

/** The miner's response after 3 attempts without a final result. The validator may have executed the order. */
export const NO_CONNECTION = 'Failed to connect to Vanta Network';

const ATTEMPTS = 3;
const PAUSE_MS = 5_000;
const WINDOW_MS = 60_000;

/** How many signals of one subaccount the validator takes in 60 s, cancels, edits and closes included. */
export type SignalLimit = {
  /** Asks the validator up to three times, as the miner does. Returns its verdict and the milliseconds of the pauses. */
  attempt(requested: Requested, ask: () => Verdict): Promise<{ verdict: Verdict; pausedMs: number }>;
  /** How often the validator has rejected a signal for its limit. */
  rejections(): number;
};

/**
 * The validator's limit of signals, and the miner before it: it repeats a signal that is rejected for the limit after 5 s, twice,
 * each attempt counts, and then it says only that it could not connect. See venues/network-validator.md#signals.
 */
export function signalLimit(perMinute: number): SignalLimit {
  const taken = new Map<number, number[]>();
  let rejections = 0;
  const isTaken = (accountId: number): boolean => {
    const now = Date.now();
    const latest = (taken.get(accountId) ?? []).filter((at) => at > now - WINDOW_MS);
    const fits = latest.length < perMinute;
    taken.set(accountId, fits ? [...latest, now] : latest);
    if (!fits) rejections += 1;
    return fits;
  };
  return {
    async attempt({ accountId }, ask) {
      let pausedMs = 0;
      for (let n = 1; !isTaken(accountId); n++) {
        if (n === ATTEMPTS) return { verdict: rejected(NO_CONNECTION), pausedMs };
        await wait(PAUSE_MS);
        pausedMs += PAUSE_MS;
      }
      return { verdict: ask(), pausedMs };
    },
    rejections: () => rejections,
  };
}
