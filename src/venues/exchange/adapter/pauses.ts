import { setTimeout as wait } from 'node:timers/promises';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { CallLimits } from './action-types.ts';

/**
 * Pauses of accounts whose action budget is used up. After the venue rejected an action for this reason, the account
 * pauses for as long as the venue accepts nothing. Cancels have a separate budget. The rejection has no cost, so a
 * retry is safe. See venues/exchange.md#rate-limits.
 */
export type AccountPauses = {
  /** Waits for the end of an account's pause. False if it lasts beyond `untilMs` (epoch ms) or the call was aborted. */
  waitOut(account: WalletAddress, cancels: boolean, untilMs: number, signal: CallLimits['signal']): Promise<boolean>;
  /** Starts a pause of `ms`. */
  pause(account: WalletAddress, cancels: boolean, ms: number): void;
};

/**
 * Keeps the pauses in this process. That is enough: a rejection for this reason costs nothing, so each process may learn of
 * it by one of its own.
 */
export const accountPauses = (): AccountPauses => {
  const pausedUntil = new Map<string, number>();
  const keyOf = (account: WalletAddress, cancels: boolean) => `${account.toLowerCase()} ${cancels}`;
  return {
    waitOut: async (account, cancels, untilMs, signal) => {
      const endsAt = pausedUntil.get(keyOf(account, cancels)) ?? 0;
      if (endsAt > untilMs) return false;
      return endsAt <= epochMs() || waited(endsAt - epochMs(), signal);
    },
    pause: (account, cancels, ms) => {
      const key = keyOf(account, cancels);
      pausedUntil.set(key, epochMs() + ms);
      setTimeout(() => pausedUntil.delete(key), ms).unref();
    },
  };
};

const waited = (ms: number, signal: CallLimits['signal']): Promise<boolean> =>
  wait(ms, true, signal && { signal }).catch(() => false);
