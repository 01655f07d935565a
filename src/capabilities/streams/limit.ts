import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const MAX_PER_CALLER = 10; // streams of one caller on one log; enough for several windows
const MAX_STREAMS = 10_000; // per process, about 30 KB each
const NEW_BEATS = 8; // a stream is new for so many heartbeats: two minutes by default

/** The limit on open streams of this process. It rejects and never queues, so no limiter library fits. */
export type StreamLimit = {
  /**
   * Takes a slot. Throws V1_STREAM_LIMIT if the caller or its owner has too many streams, SERVICE_UNAVAILABLE if the process has. Returns a function
   * that releases the slot. `end` closes the stream. If the caller or owner has too many, its oldest stream with an `end` is closed instead, unless
   * it is new: its reader may be gone, which TCP notices only after about 15 minutes.
   */
  take(owner: OwnerId, caller: string, end?: () => void): () => void;
  /** The number of taken slots. */
  count(): number;
};

/** Makes the stream limit of a process, of which one app or partner may take `perOwner` slots. */
export function streamLimit(perOwner: number, heartbeatMs: number): StreamLimit {
  const callers = slotsByName();
  const owners = slotsByName();
  let open = 0;
  return {
    count: () => open,
    take(owner, caller, end) {
      if (isFull(callers.of(caller), MAX_PER_CALLER) || isFull(owners.of(owner), perOwner))
        throw new ApiError('V1_STREAM_LIMIT', { retryAfterS: 10 });
      if (open >= MAX_STREAMS) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 10 });
      const slot: Slot = { since: performance.now(), end, release };
      callers.add(caller, slot);
      owners.add(owner, slot);
      open += 1;
      return release;

      function release(): void {
        if (!callers.delete(caller, slot)) return; // already released
        owners.delete(owner, slot);
        open -= 1;
      }
    },
  };

  /** Whether all of these are taken and none gives way. */
  function isFull(slots: ReadonlySet<Slot>, most: number): boolean {
    if (slots.size < most) return false;
    const oldest = [...slots].find(({ end }) => end);
    if (!oldest || oldest.since + NEW_BEATS * heartbeatMs > performance.now()) return true;
    oldest.end?.();
    oldest.release();
    return false;
  }
}

type Slot = { since: number; end: (() => void) | undefined; release(): void };

/** The slots in use by name, oldest first. A name without slots is forgotten. */
function slotsByName() {
  const taken = new Map<string, Set<Slot>>();
  const of = (name: string): ReadonlySet<Slot> => taken.get(name) ?? new Set();
  return {
    of,
    add: (name: string, slot: Slot) => void taken.set(name, (taken.get(name) ?? new Set()).add(slot)),
    delete(name: string, slot: Slot): boolean {
      const isTaken = taken.get(name)?.delete(slot) ?? false;
      if (of(name).size === 0) taken.delete(name);
      return isTaken;
    },
  };
}
