import { ofNumber, roundedTo, times } from '../kernel/decimals.ts';

/** What the bank's or the processor's word does to a payout: it completes, it fails, or nothing. */
export type PayoutStep =
  | { kind: 'completed' }
  | { kind: 'failed'; reason: string; isReturned: boolean }
  | { kind: 'nothing' };

/**
 * Reads the processor's word on a payout. A failed or cancelled one leaves the money on the trader's account at the processor;
 * a reversed transfer brings it back to the platform.
 */
export function payoutStep({ status, failure }: { status: string; failure: string | null }): PayoutStep {
  if (status === 'paid') return { kind: 'completed' };
  if (status === 'reversed') return { kind: 'failed', reason: failure ?? 'reversed', isReturned: true };
  if (status === 'failed' || status === 'canceled')
    return { kind: 'failed', reason: failure ?? status, isReturned: false };
  return { kind: 'nothing' };
}

/** An account at the processor in one word. */
export const accountStatus = (account: {
  payouts_enabled: boolean;
  details_submitted: boolean;
}): 'active' | 'restricted' | 'pending' =>
  account.payouts_enabled ? 'active' : account.details_submitted ? 'restricted' : 'pending';

/** Whole cents of an amount in dollars as the network writes it, rounded down: what is not a whole cent is not paid. */
export const centsOf = (usd: number): number => Number(roundedTo(times(ofNumber(usd), '100'), 0, 'down'));
