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

const HALF_DAY_MS = 12 * 60 * 60 * 1000;

/** The span earnings are asked for: from the start to the last half day in UTC, the only ends the network takes. */
export const earningSpan = (nowMs: number): { startMs: number; endMs: number } => ({
  startMs: 0,
  endMs: Math.floor(nowMs / HALF_DAY_MS) * HALF_DAY_MS,
});
