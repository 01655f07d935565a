import type { WalletAddress } from '../../../../kernel/ids.ts';

/**
 * A wallet that may be followed. `rank`: how urgent news of it are, 1 first (see `listCandidates`). `sinceMs` (epoch ms): when that has
 * happened last that makes it urgent.
 */
export type Candidate = { wallet: WalletAddress; rank: number; sinceMs: number };

/** Positions without exits: these wallets are not given up for others of the same kind. */
const MOST_URGENT = 1;
/** A wallet that is followed is given up for one of its rank only if that one's news are so much newer. */
const NEWER_MS = 10_000;

/**
 * The wallets to follow, at most `most`: the most urgent ones, of equal rank those with the newest news. Of those that are followed, one
 * is given up only for one that is clearly more urgent, so that they change seldom.
 */
export function chooseWallets(
  candidates: readonly Candidate[],
  followed: readonly WalletAddress[],
  most: number,
): WalletAddress[] {
  const ordered = candidates.toSorted(byUrgency);
  const kept = ordered.filter(({ wallet }) => followed.includes(wallet)).slice(0, most);
  const others = ordered.filter(({ wallet }) => !followed.includes(wallet));
  const added = others.splice(0, most - kept.length);
  for (const other of others) {
    const last = kept.at(-1);
    if (!last || !isClearlyBefore(other, last)) break;
    kept.pop();
    added.push(other);
  }
  return [...kept, ...added].map(({ wallet }) => wallet);
}

const byUrgency = (a: Candidate, b: Candidate): number => a.rank - b.rank || b.sinceMs - a.sinceMs;

const isClearlyBefore = (a: Candidate, b: Candidate): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.rank > MOST_URGENT && a.sinceMs - b.sinceMs > NEWER_MS);
