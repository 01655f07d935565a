import { ofNumber, roundedTo, times } from '../kernel/decimals.ts';

/** The effect of the processor's report on a payout: it completes, it fails, or nothing changes. */
export type PayoutStep =
  | { kind: 'completed' }
  | { kind: 'failed'; reason: string; isReturned: boolean }
  | { kind: 'nothing' };

/**
 * The effect of a payout's status at the processor. If a payout fails or is cancelled, the money stays in the trader's
 * account at the processor. A reversed transfer returns it to the platform.
 */
export function payoutStep({ status, failure }: { status: string; failure: string | null }): PayoutStep {
  if (status === 'paid') return { kind: 'completed' };
  if (status === 'reversed') return { kind: 'failed', reason: failure ?? 'reversed', isReturned: true };
  if (status === 'failed' || status === 'canceled')
    return { kind: 'failed', reason: failure ?? status, isReturned: false };
  return { kind: 'nothing' };
}

/** The status of an account at the processor. */
export const accountStatus = (account: {
  payouts_enabled: boolean;
  details_submitted: boolean;
}): 'active' | 'restricted' | 'pending' =>
  account.payouts_enabled ? 'active' : account.details_submitted ? 'restricted' : 'pending';

/** Whole cents of an amount in USD from the network, rounded down: fractions of a cent are not paid. */
export const centsOf = (usd: number): number => Number(roundedTo(times(ofNumber(usd), '100'), 0, 'down'));
