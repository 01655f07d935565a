import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const MAX_PER_CALLER = 10; // streams of one caller on one log; enough for several windows
const MAX_STREAMS = 10_000; // per process, about 30 KB each

/** The limit on open streams of this process. It rejects and never queues, so no limiter library fits. */
export type StreamLimit = {
  /**
   * Takes a slot. Throws V1_STREAM_LIMIT if the caller or its owner has too many streams, SERVICE_UNAVAILABLE if the
   * process has. Returns a function that releases the slot; call it once.
   */
  take(owner: OwnerId, caller: string): () => void;
  /** The number of taken slots. */
  count(): number;
};

/** Makes the stream limit of a process, of which one app or partner may take `perOwner` slots. */
export function streamLimit(perOwner: number): StreamLimit {
  const callers = counter();
  const owners = counter();
  let open = 0;
  return {
    count: () => open,
    take(owner, caller) {
      const isTooMany = callers.count(caller) >= MAX_PER_CALLER || owners.count(owner) >= perOwner;
      if (isTooMany) throw new ApiError('V1_STREAM_LIMIT', { retryAfterS: 10 });
      if (open >= MAX_STREAMS) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 10 });
      callers.add(caller, 1);
      owners.add(owner, 1);
      open += 1;
      return () => {
        open -= 1;
        callers.add(caller, -1);
        owners.add(owner, -1);
      };
    },
  };
}

/** Counts by name; a name without a count takes no memory. */
function counter() {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.get(name) ?? 0;
  return {
    count,
    add(name: string, change: 1 | -1) {
      const now = count(name) + change;
      if (now > 0) counts.set(name, now);
      else counts.delete(name);
    },
  };
}
