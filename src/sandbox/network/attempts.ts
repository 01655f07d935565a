import { setTimeout as wait } from 'node:timers/promises';
import type { Requested } from './signal.ts';
import { rejected, type Verdict } from './world.ts';

/** The miner's response after 3 attempts without a final result. The validator may have executed the order. */
export const NO_CONNECTION = 'Failed to connect to Vanta Network';

const ATTEMPTS = 3;
const PAUSE_MS = 5_000;
const WINDOW_MS = 60_000;

/** What a miner asks of the validator for one signal. `forget`: its acknowledgement is lost before it is confirmed. */
type ValidatorCall = { ask(): Verdict; forget(): void };

/** The miner's attempts at the validator, which takes so many signals of one subaccount in 60 s, cancels and edits included. */
export type MinerAttempts = {
  /** Asks the validator up to three times, as the miner does. Returns the last verdict and the milliseconds of the pauses. */
  attempt(requested: Requested, asking: ValidatorCall): Promise<{ verdict: Verdict; pausedMs: number }>;
  /** The acknowledgements of the next `times` attempts are lost: the validator acts, and the miner tries again. */
  loseAcknowledgements(times: number): void;
  /** How often the validator has rejected a signal for its limit. */
  rejections(): number;
};

/** `waitMs`: see `minerAttempts`. `isLost`: draws whether the acknowledgement of one more attempt is lost. */
type AttemptOptions = { perMinute: number; waitMs?: number; isLost?: () => boolean };

/**
 * The miner repeats a signal after 5 s, twice, if the validator has rejected it for its limit or no acknowledgement came, and
 * then it says only that it could not connect. `waitMs`: how long a pause takes here; it is reported as 5 s. See
 * venues/network.md#retries.
 */
export function minerAttempts({ perMinute, waitMs = PAUSE_MS, isLost = () => false }: AttemptOptions): MinerAttempts {
  const taken = new Map<number, number[]>();
  let rejections = 0;
  let toLose = 0;
  const isTaken = (accountId: number): boolean => {
    const now = Date.now();
    const latest = (taken.get(accountId) ?? []).filter((at) => at > now - WINDOW_MS);
    const fits = latest.length < perMinute;
    taken.set(accountId, fits ? [...latest, now] : latest);
    if (!fits) rejections += 1;
    return fits;
  };
  return {
    async attempt({ accountId }, { ask, forget }) {
      for (let n = 1; ; n++) {
        const pausedMs = (n - 1) * PAUSE_MS;
        if (isTaken(accountId)) {
          const verdict = ask();
          if (toLose === 0 && !isLost()) return { verdict, pausedMs };
          toLose = Math.max(0, toLose - 1);
          forget();
        }
        if (n === ATTEMPTS) return { verdict: rejected(NO_CONNECTION), pausedMs };
        await wait(waitMs);
      }
    },
    loseAcknowledgements: (times) => {
      toLose = times;
    },
    rejections: () => rejections,
  };
}
