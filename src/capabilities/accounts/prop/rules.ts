import type { components } from '../../../contract/types.ts';
import { type OverallRule, typeOfBucket } from '../../../kernel/buckets.ts';

/** The status of a prop account. */
export type PropStatus = components['schemas']['PropAccountStatus'];

/**
 * What the network shows of a subaccount: its status and uuid, its bucket, why it was eliminated, and its drawdowns in percent. `atMs`: when, by its
 * clock; null if it does not say.
 */
export type NetworkStatus = {
  atMs?: number | null;
  status: string;
  subaccountUuid: string | null;
  bucket: string | null;
  elimination: { reason: string | null } | null;
  drawdown?: Record<'intraday' | 'intradayLimit' | 'overall' | 'overallLimit', number | null> | null;
  overallRule: OverallRule;
};

/** A rule that an account broke, and the figures that show it, in percent. */
export type Breach = {
  rule: 'drawdown.intraday' | OverallRule;
  drawdown_percent: number;
  limit_percent: number;
};

/** The rule that an account broke by the figures that the network shows; null if they show none. */
export function breachOf({ drawdown, overallRule }: NetworkStatus): Breach | null {
  const found = (rule: Breach['rule'], at?: number | null, limit?: number | null): Breach[] =>
    at != null && limit != null && at >= limit ? [{ rule, drawdown_percent: at, limit_percent: limit }] : [];
  const broken = [
    ...found('drawdown.intraday', drawdown?.intraday, drawdown?.intradayLimit),
    ...found(overallRule, drawdown?.overall, drawdown?.overallLimit),
  ];
  return broken[0] ?? null;
}

/** The status that follows from a reading of the network. `synced` is false if the reading allowed no conclusion. */
export type Verdict = { status: PropStatus; reason: string | null; synced: boolean };

/** The network accepts orders for these statuses. A subaccount starts as `pending`. */
const TRADEABLE = new Set(['active', 'admin']);

/**
 * The status of an account after a reading of the network; null means that the reading failed. Eliminated and failed
 * accounts do not change. An account in `provisioning` becomes tradeable only when the network accepts its orders.
 */
export function verdictOf(status: PropStatus, shown: NetworkStatus | null): Verdict {
  const unchanged = (synced: boolean): Verdict => ({ status, reason: null, synced });
  if (shown === null) return unchanged(false);
  if (status === 'eliminated' || status === 'subaccount_failed') return unchanged(true);
  if (isEliminated(shown)) return { status: 'eliminated', reason: reasonOf(shown), synced: true };
  if (status === 'provisioning' && shown.status === 'failed')
    return { status: 'subaccount_failed', reason: 'failed_at_network', synced: true };
  if (!TRADEABLE.has(shown.status)) return unchanged(shown.status === 'pending' || shown.status === 'failed');
  return afterBucket(status, shown.bucket);
}

const isEliminated = ({ status, bucket, elimination }: NetworkStatus) =>
  elimination !== null || status === 'eliminated' || bucket === 'ELIMINATED';

const reasonOf = ({ elimination }: NetworkStatus) => elimination?.reason?.toLowerCase() ?? 'eliminated_at_network';

function afterBucket(status: PropStatus, bucket: string | null): Verdict {
  const type = typeOfBucket(bucket);
  if (type === 'funded') return { status: 'funded', reason: null, synced: true };
  if (type === 'challenge') return { status: 'evaluation', reason: null, synced: true };
  // A new subaccount may have no bucket yet: it starts in its challenge.
  return status === 'provisioning'
    ? { status: 'evaluation', reason: null, synced: true }
    : { status, reason: null, synced: false };
}

const RECONCILE_DELAYS_MS = [300, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
const LONGEST_RECONCILE_MS = 60_000;

/**
 * Milliseconds until the next sync of an account that the network has not settled, by the age of its status in
 * milliseconds.
 */
export const nextSyncMs = (ageMs: number): number =>
  RECONCILE_DELAYS_MS.find((ms) => ms * 4 > ageMs) ?? LONGEST_RECONCILE_MS;
