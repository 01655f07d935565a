export const propStatuses = ['provisioning', 'evaluation', 'funded', 'eliminated', 'subaccount_failed'] as const;
export type PropStatus = (typeof propStatuses)[number];

/** What the network shows of a subaccount: its own status, its bucket, and why it was eliminated. */
export type Shown = { status: string; bucket: string | null; elimination: { reason: string | null } | null };

/** What a look at the network comes to. `synced` is false where it told nothing to go by. */
export type Verdict = { status: PropStatus; reason: string | null; synced: boolean };

/** Buckets that earn. Venue facts: validator, buckets. */
const EARNING = new Set([
  'SUBACCOUNT_FUNDED',
  'SUBACCOUNT_ALPHA',
  'PRO_FUNDED',
  'SUBACCOUNT_PRO_FUNDED',
  'PRO_CHALLENGE_TRANSITION',
  'PRO_CHALLENGE_FROM_STANDARD',
]);
const CHALLENGE = new Set(['SUBACCOUNT_CHALLENGE', 'PRO_CHALLENGE_DIRECT', 'SUBACCOUNT_PRO_CHALLENGE', 'CHALLENGE']);
/** The network takes orders of these; a subaccount starts as `pending`. */
const TRADEABLE = new Set(['active', 'admin']);

/**
 * Where an account goes by what the network shows; null stands for a look that failed. Eliminated and failed accounts stay as
 * they are. One that is being made becomes tradeable only when the network takes its orders.
 */
export function verdictOf(status: PropStatus, shown: Shown | null): Verdict {
  const unchanged = (synced: boolean): Verdict => ({ status, reason: null, synced });
  if (shown === null) return unchanged(false);
  if (status === 'eliminated' || status === 'subaccount_failed') return unchanged(true);
  if (isEliminated(shown)) return { status: 'eliminated', reason: reasonOf(shown), synced: true };
  if (status === 'provisioning' && shown.status === 'failed')
    return { status: 'subaccount_failed', reason: 'failed_at_network', synced: true };
  if (!TRADEABLE.has(shown.status)) return unchanged(shown.status === 'pending' || shown.status === 'failed');
  return afterBucket(status, shown.bucket);
}

const isEliminated = ({ status, bucket, elimination }: Shown) =>
  elimination !== null || status === 'eliminated' || bucket === 'ELIMINATED';

const reasonOf = ({ elimination }: Shown) => elimination?.reason?.toLowerCase() ?? 'eliminated_at_network';

function afterBucket(status: PropStatus, bucket: string | null): Verdict {
  if (bucket !== null && EARNING.has(bucket)) return { status: 'funded', reason: null, synced: true };
  if (bucket !== null && CHALLENGE.has(bucket)) return { status: 'evaluation', reason: null, synced: true };
  // A subaccount just made may have no bucket yet: it starts in its challenge.
  return status === 'provisioning'
    ? { status: 'evaluation', reason: null, synced: true }
    : { status, reason: null, synced: false };
}

const LOOKS_MS = [300, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
const LONGEST_LOOK_MS = 60_000;

/** When to look again at an account the network has not settled, by how long it has been in the making. */
export const nextSyncMs = (ageMs: number): number => LOOKS_MS.find((ms) => ms * 4 > ageMs) ?? LONGEST_LOOK_MS;
