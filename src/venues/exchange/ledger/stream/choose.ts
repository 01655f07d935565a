import type { WalletAddress } from '../../../../kernel/ids.ts';

/**
 * A wallet that may be followed. `owners`: who has enrolled it; one empty name if nobody has. `rank`: how urgent its news are, 1 first (see
 * `listCandidates`). `sinceMs` (epoch ms): when the event that makes it urgent last happened.
 */
export type Candidate = { wallet: WalletAddress; owners: readonly string[]; rank: number; sinceMs: number };

/** `turn`: its position among its owner's wallets of the same rank; of several owners the lowest. */
type InTurn = Candidate & { turn: number };

/** The rank of positions that may be without exits. Such a wallet is not replaced by another of the same rank and owner. */
const MOST_URGENT = 1;
/** A followed wallet is replaced by one of the same rank only if that one's news are newer by this much. */
const NEWER_MS = 10_000;

/**
 * The wallets to follow, at most `most`: the most urgent first, at equal rank those of the owner with the fewest followed, then those with the newest
 * news. A followed wallet is replaced only by one that is clearly more urgent or whose owner has fewer, so that the choice changes seldom.
 */
export function chooseWallets(
  candidates: readonly Candidate[],
  followed: readonly WalletAddress[],
  most: number,
): WalletAddress[] {
  const isFollowed = ({ wallet }: Candidate) => followed.includes(wallet);
  const ordered = inTurns(candidates, isFollowed).sort(byUrgency);
  const kept = ordered.filter(isFollowed).slice(0, most);
  const others = ordered.filter((one) => !isFollowed(one));
  const added = others.splice(0, most - kept.length);
  for (const other of others) {
    const last = kept.at(-1);
    if (!last || !isClearlyBefore(other, last)) continue;
    kept.pop();
    added.push(other);
  }
  return [...kept, ...added].map(({ wallet }) => wallet);
}

/** Owners take turns within a rank, each first with its followed wallets, then with those that have the newest news. */
function inTurns(candidates: readonly Candidate[], isFollowed: (one: Candidate) => boolean): InTurn[] {
  const turns = new Map<WalletAddress, number>();
  const ofOwners = candidates.flatMap((one) => one.owners.map((owner) => ({ owner, one })));
  for (const line of Map.groupBy(ofOwners, ({ owner, one }) => `${one.rank} ${owner}`).values()) {
    line.sort((a, b) => Number(isFollowed(b.one)) - Number(isFollowed(a.one)) || b.one.sinceMs - a.one.sinceMs);
    for (const [n, { one }] of line.entries()) turns.set(one.wallet, Math.min(n, turns.get(one.wallet) ?? n));
  }
  return candidates.map((one) => ({ ...one, turn: turns.get(one.wallet) ?? 0 }));
}

const byUrgency = (a: InTurn, b: InTurn): number => a.rank - b.rank || a.turn - b.turn || b.sinceMs - a.sinceMs;

function isClearlyBefore(a: InTurn, b: InTurn): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  const areOfOne = a.owners.some((owner) => b.owners.includes(owner));
  if (!areOfOne && a.turn !== b.turn) return a.turn < b.turn;
  return a.rank > MOST_URGENT && a.sinceMs - b.sinceMs > NEWER_MS;
}
