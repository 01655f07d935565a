/** The order of service among readers that share a priority. A turn is a number; the lowest is served first. */
export type Turns = {
  /** The turn of a new call. A reader that has been served a lot comes after the others. */
  next(rank: number, reader: string, weight: number): number;
  /** Notes that a call was served. */
  served(rank: number, turn: number): void;
};

const MAX_READERS = 1_000; // kept per rank; the others count as not served lately

/**
 * Self-clocked fair queueing: a reader's calls follow each other at distances of their weights, starting at the turn that
 * is being served. So a reader of long histories does not delay one of single orders.
 */
export const fairTurns = (): Turns => {
  const ranks = new Map<number, { now: number; last: Map<string, number> }>();
  const ofRank = (rank: number) => {
    const known = ranks.get(rank) ?? { now: 0, last: new Map<string, number>() };
    ranks.set(rank, known);
    return known;
  };
  return {
    next: (rank, reader, weight) => {
      const { now, last } = ofRank(rank);
      const turn = Math.max(now, last.get(reader) ?? 0) + weight;
      if (last.size > MAX_READERS) last.clear();
      last.set(reader, turn);
      return turn;
    },
    served: (rank, turn) => {
      const known = ofRank(rank);
      known.now = Math.max(known.now, turn);
    },
  };
};
