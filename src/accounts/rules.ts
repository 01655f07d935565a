/** A creation that was sent and whose outcome is open; `sent_ms` is epoch milliseconds by the database's clock. */
export type OpenCreation = { id: string; sent_ms: number; in_doubt: boolean };

/** A subaccount at the network that no row of ours owns. `createdMs` is by the network's clock, null when it does not say. */
export type Orphan = { syntheticHotkey: string; createdMs: number | null };

export type Match<O> = { kind: 'mine'; orphan: O } | { kind: 'none' } | { kind: 'wait' } | { kind: 'ambiguous' };

const CLOCK_SKEW_MS = 5_000; // the network's clock and our database's agree to within this

/**
 * Which subaccount a creation in doubt made. Creations of one size and class are interchangeable while nobody owns their
 * subaccounts, so orphans go to doubts in order of time. More orphans than doubts means that someone else makes subaccounts at
 * this entity: then nothing is guessed. An orphan that a creation still under way may have made is left alone.
 */
export function matchCreation<O extends Orphan>(
  id: string,
  open: readonly OpenCreation[],
  orphans: readonly O[],
): Match<O> {
  const doubts = open.filter(({ in_doubt }) => in_doubt);
  const first = Math.min(...doubts.map(({ sent_ms }) => sent_ms));
  const candidates = orphans.filter(({ createdMs }) => createdMs === null || createdMs >= first - CLOCK_SKEW_MS);
  if (candidates.length === 0) return { kind: 'none' };
  if (candidates.some(({ createdMs }) => createdMs === null)) return { kind: 'ambiguous' };
  const underWay = open.filter(({ in_doubt }) => !in_doubt);
  if (candidates.some((orphan) => underWay.some((creation) => mayHaveMade(creation, orphan)))) return { kind: 'wait' };
  if (candidates.length > doubts.length) return { kind: 'ambiguous' };
  const assigned = assign(
    doubts,
    [...candidates].sort((a, b) => Number(a.createdMs) - Number(b.createdMs)),
  );
  const orphan = assigned.get(id);
  return orphan ? { kind: 'mine', orphan } : { kind: 'none' };
}

const mayHaveMade = ({ sent_ms }: OpenCreation, { createdMs }: Orphan) => Number(createdMs) >= sent_ms - CLOCK_SKEW_MS;

/** Gives each orphan, oldest first, to the oldest doubt without one that was sent before the orphan was made. */
function assign<O extends Orphan>(doubts: readonly OpenCreation[], orphans: readonly O[]): Map<string, O> {
  const assigned = new Map<string, O>();
  for (const orphan of orphans) {
    const doubt = doubts.find((candidate) => !assigned.has(candidate.id) && mayHaveMade(candidate, orphan));
    if (doubt) assigned.set(doubt.id, orphan);
  }
  return assigned;
}

/** Refusals that stand until somebody tops up the entity or mends our access: every next creation would meet the same. */
export const needsOperator = (slug: string): boolean =>
  ['insufficient_collateral', 'collateral_unverified', 'max_subaccounts', 'entity_unknown', 'venue_auth'].includes(
    slug,
  );
