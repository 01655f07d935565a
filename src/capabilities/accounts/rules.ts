import type { Hotkey, IntentId } from '../../kernel/ids.ts';
/**
 * A sent creation whose outcome is open. `sent_ms` is epoch milliseconds by the database's clock. `first_id`: the next id of
 * the entity before it was sent, so that it can have created no smaller one; null if it is not known.
 */
export type OpenCreation = { id: IntentId; sent_ms: number; in_doubt: boolean; first_id: number | null };

/**
 * A subaccount at the network without an owner in our tables. `createdMs` is by the network's clock; null if the
 * network omits it.
 */
export type Orphan = {
  syntheticHotkey: Hotkey;
  subaccountId: number;
  assetClass: string;
  accountSize: number;
  createdMs: number | null;
};

/** A subaccount as its entity lists it. Members that cannot be read are null. */
type Listed = { [Name in keyof Orphan]: Orphan[Name] | null };

/** Whether all members that our record needs could be read. */
export const isReadable = <L extends Listed>(listed: L): listed is L & Orphan =>
  listed.syntheticHotkey !== null &&
  listed.subaccountId !== null &&
  listed.assetClass !== null &&
  listed.accountSize !== null;

/**
 * The result of a search: the orphan of this creation (`found`), none, wait for another creation, or more than one
 * candidate.
 */
export type Match<O> = { kind: 'found'; orphan: O } | { kind: 'none' } | { kind: 'wait' } | { kind: 'ambiguous' };

const CLOCK_SKEW_MS = 5_000; // of the network's clock and the database's, where only times are known

/**
 * Finds the subaccount that a creation in doubt created. Creations of one size and class are interchangeable until
 * their subaccounts have owners, so orphans are assigned to creations in doubt in order of time. More orphans than
 * creations in doubt mean that someone else creates subaccounts at this entity; the match is then `ambiguous`. An
 * orphan that a creation still running may have created is not assigned.
 */
export function matchCreation<O extends Orphan>(
  id: string,
  open: readonly OpenCreation[],
  orphans: readonly O[],
): Match<O> {
  const inDoubt = open.filter(({ in_doubt }) => in_doubt);
  const candidates = candidatesOf(open, orphans);
  if (candidates.length === 0) return { kind: 'none' };
  if (candidates.some(({ createdMs }) => createdMs === null)) return { kind: 'ambiguous' };
  const underWay = open.filter(({ in_doubt }) => !in_doubt);
  if (candidates.some((orphan) => underWay.some((creation) => mayHaveMade(creation, orphan)))) return { kind: 'wait' };
  if (candidates.length > inDoubt.length) return { kind: 'ambiguous' };
  const assigned = assign(
    inDoubt,
    [...candidates].sort((a, b) => Number(a.createdMs) - Number(b.createdMs)),
  );
  const orphan = assigned.get(id);
  return orphan ? { kind: 'found', orphan } : { kind: 'none' };
}

/** The subaccounts that one of the creations in doubt may have created. */
export const candidatesOf = <O extends Listed>(open: readonly OpenCreation[], orphans: readonly O[]): O[] =>
  orphans.filter((orphan) => open.some((creation) => creation.in_doubt && mayHaveMade(creation, orphan)));

/** By id where the next one was known: clocks may differ by minutes. Else by time. */
const mayHaveMade = (creation: OpenCreation, orphan: Listed): boolean =>
  creation.first_id === null || orphan.subaccountId === null
    ? orphan.createdMs === null || orphan.createdMs >= creation.sent_ms - CLOCK_SKEW_MS
    : isNewTo(creation, orphan);

/** Whether an id can have been given since a creation was sent: ids are never used again. */
export const isNewTo = (
  { first_id }: Pick<OpenCreation, 'first_id'>,
  { subaccountId }: Pick<Listed, 'subaccountId'>,
): boolean => first_id === null || subaccountId === null || subaccountId >= first_id;

/** Assigns each orphan, oldest first, to the oldest creation in doubt that has none yet and may have created it. */
function assign<O extends Orphan>(inDoubt: readonly OpenCreation[], orphans: readonly O[]): Map<string, O> {
  const assigned = new Map<string, O>();
  for (const orphan of orphans) {
    const creation = inDoubt.find((candidate) => !assigned.has(candidate.id) && mayHaveMade(candidate, orphan));
    if (creation) assigned.set(creation.id, orphan);
  }
  return assigned;
}

/**
 * Whether a rejection needs an operator: until someone tops up the entity or repairs our access, every creation gets
 * the same rejection.
 */
export const needsOperator = (slug: string): boolean =>
  ['insufficient_collateral', 'collateral_unverified', 'max_subaccounts', 'entity_unknown', 'venue_auth'].includes(
    slug,
  );

/** The subaccounts without an owner that are newer than every one with an owner, by the network's clock. */
export function newerThanOwned<L extends Listed>(all: readonly L[], owned: ReadonlySet<Hotkey | null>): L[] {
  const named = all.filter(({ syntheticHotkey }) => syntheticHotkey !== null);
  const known = named.flatMap(({ syntheticHotkey, createdMs }) => (owned.has(syntheticHotkey) ? [createdMs ?? 0] : []));
  const newestMs = Math.max(0, ...known);
  return named.filter(({ syntheticHotkey, createdMs }) => !owned.has(syntheticHotkey) && (createdMs ?? 0) > newestMs);
}
