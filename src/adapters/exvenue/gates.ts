import { setTimeout as wait } from 'node:timers/promises';
import type { CallLimits } from './types.ts';

/**
 * The action budgets of accounts. Each is open until the venue refuses an action for want of budget, then closed for as
 * long as the venue lets nothing through. Cancels have a budget of their own. The refusal costs nothing, so that looking
 * again is safe. Venue facts: rate limits, per address.
 */
export type Gates = {
  /** Waits for the gate of an account; false where it stays closed beyond `untilMs`, or the call was given up. */
  pass(account: string, cancels: boolean, untilMs: number, signal: CallLimits['signal']): Promise<boolean>;
  close(account: string, cancels: boolean, ms: number): void;
};

/** Gates of one process: the actions of one account come from one lane, hence from one process at a time. */
export const openGates = (): Gates => {
  const closedUntil = new Map<string, number>();
  const nameOf = (account: string, cancels: boolean) => `${account.toLowerCase()} ${cancels}`;
  return {
    pass: async (account, cancels, untilMs, signal) => {
      const opensAt = closedUntil.get(nameOf(account, cancels)) ?? 0;
      if (opensAt > untilMs) return false;
      return opensAt <= Date.now() || waited(opensAt - Date.now(), signal);
    },
    close: (account, cancels, ms) => {
      const name = nameOf(account, cancels);
      closedUntil.set(name, Date.now() + ms);
      setTimeout(() => closedUntil.delete(name), ms).unref();
    },
  };
};

const waited = (ms: number, signal: CallLimits['signal']): Promise<boolean> =>
  wait(ms, true, signal && { signal }).catch(() => false);
