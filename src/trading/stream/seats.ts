import { Refusal } from '../../kernel/refusals.ts';

const MOST_PER_CALLER = 10; // streams of one caller on one account: a desk has a few windows
const MOST_STREAMS = 10_000; // of one process, at some 30 KB each

/** How many streams may be open at once, counted in this process. */
export type Seats = {
  /** Takes a seat; refuses where a caller or the process has as many as may be. Answers how to give it back, once. */
  take(caller: string): () => void;
  /** How many are taken. */
  count(): number;
};

/** Makes the process's count of seats. */
export function openSeats(): Seats {
  const callers = new Map<string, number>();
  let taken = 0;
  return {
    count: () => taken,
    take(caller) {
      const already = callers.get(caller) ?? 0;
      if (already >= MOST_PER_CALLER) throw new Refusal('V2_STREAM_LIMIT', { retryAfterS: 10 });
      if (taken >= MOST_STREAMS) throw new Refusal('SERVICE_UNAVAILABLE', { retryAfterS: 10 });
      callers.set(caller, already + 1);
      taken += 1;
      return () => {
        taken -= 1;
        const left = (callers.get(caller) ?? 1) - 1;
        if (left > 0) callers.set(caller, left);
        else callers.delete(caller);
      };
    },
  };
}
