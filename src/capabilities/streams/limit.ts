import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const MAX_PER_CALLER = 10; // streams of one caller on one log; enough for several windows
const MAX_STREAMS = 10_000; // per process, about 30 KB each
const NEW_BEATS = 8; // heartbeats for which a stream is new: two minutes

/** The limit on open streams of this process. It rejects and never queues, so no limiter library fits. */
export type StreamLimit = {
  /**
   * Takes a slot. Throws V1_STREAM_LIMIT if the caller or its owner has too many streams, SERVICE_UNAVAILABLE if the
   * process has. Returns a function that releases the slot. `end` ends the stream: of a caller that has too many the oldest one that has it
   * gives way, if it is not new. The network of its reader may have gone without a word, which TCP notices after a quarter of an hour.
   */
  take(owner: OwnerId, caller: string, end?: () => void): () => void;
  /** The number of taken slots. */
  count(): number;
};

type Slot = { since: number; end: (() => void) | undefined; release(): void };

/** Makes the stream limit of a process, of which one app or partner may take `perOwner` slots. */
export function streamLimit(perOwner: number, heartbeatMs: number): StreamLimit {
  const callers = new Map<string, Slot[]>(); // the oldest first
  const owners = counter();
  let open = 0;
  const slotsOf = (caller: string) => callers.get(caller) ?? [];
  return {
    count: () => open,
    take(owner, caller, end) {
      if (slotsOf(caller).length >= MAX_PER_CALLER) giveWay(slotsOf(caller));
      const isTooMany = slotsOf(caller).length >= MAX_PER_CALLER || owners.count(owner) >= perOwner;
      if (isTooMany) throw new ApiError('V1_STREAM_LIMIT', { retryAfterS: 10 });
      if (open >= MAX_STREAMS) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 10 });
      const slot: Slot = { since: performance.now(), end, release };
      callers.set(caller, [...slotsOf(caller), slot]);
      owners.add(owner, 1);
      open += 1;
      return release;

      function release(): void {
        const others = slotsOf(caller).filter((each) => each !== slot);
        if (others.length === slotsOf(caller).length) return; // it was released before
        if (others.length > 0) callers.set(caller, others);
        else callers.delete(caller);
        owners.add(owner, -1);
        open -= 1;
      }
    },
  };

  function giveWay(slots: Slot[]): void {
    const oldest = slots.find(({ end }) => end);
    if (!oldest || oldest.since + NEW_BEATS * heartbeatMs > performance.now()) return;
    oldest.end?.();
    oldest.release();
  }
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
