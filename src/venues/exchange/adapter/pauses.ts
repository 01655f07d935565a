import type { WalletAddress } from '../../../kernel/ids.ts';

/**
 * Pauses of accounts whose action budget is used up. After the venue rejected an action for this reason, the account
 * pauses for as long as the venue accepts nothing. Cancels have a separate budget. The rejection has no cost, so a
 * retry is safe. See venues/exchange.md#rate-limits.
 */
export type AccountPauses = {
  /** Whether an account pauses. Nobody waits for the end: that would hold a job, and one owner's accounts could hold all of them. */
  isPaused(account: WalletAddress, cancels: boolean): boolean;
  /** Starts a pause of `ms`. */
  pause(account: WalletAddress, cancels: boolean, ms: number): void;
};

/**
 * Keeps the pauses in this process. That is enough: a rejection for this reason costs nothing, so each process may learn of
 * it by one of its own.
 */
export const accountPauses = (): AccountPauses => {
  const paused = new Map<string, NodeJS.Timeout>();
  const keyOf = (account: WalletAddress, cancels: boolean) => `${account.toLowerCase()} ${cancels}`;
  return {
    isPaused: (account, cancels) => paused.has(keyOf(account, cancels)),
    pause: (account, cancels, ms) => {
      const key = keyOf(account, cancels);
      clearTimeout(paused.get(key));
      paused.set(key, setTimeout(() => paused.delete(key), ms).unref());
    },
  };
};
