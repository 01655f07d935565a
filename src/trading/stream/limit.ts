import { ApiError } from '../../kernel/errors.ts';

const MAX_PER_CALLER = 10; // streams of one caller on one account; enough for several windows
const MAX_STREAMS = 10_000; // per process, about 30 KB each

/** The limit on open streams of this process. It rejects and never queues, so no limiter library fits. */
export type StreamLimit = {
  /**
   * Takes a slot. Throws V2_STREAM_LIMIT if the caller has too many streams, SERVICE_UNAVAILABLE if the process has.
   * Returns a function that releases the slot; call it once.
   */
  take(caller: string): () => void;
  /** The number of taken slots. */
  count(): number;
};

/** Makes the stream limit of a process. */
export function streamLimit(): StreamLimit {
  const perCaller = new Map<string, number>();
  let open = 0;
  return {
    count: () => open,
    take(caller) {
      const count = perCaller.get(caller) ?? 0;
      if (count >= MAX_PER_CALLER) throw new ApiError('V2_STREAM_LIMIT', { retryAfterS: 10 });
      if (open >= MAX_STREAMS) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 10 });
      perCaller.set(caller, count + 1);
      open += 1;
      return () => {
        open -= 1;
        const left = (perCaller.get(caller) ?? 1) - 1;
        if (left > 0) perCaller.set(caller, left);
        else perCaller.delete(caller);
      };
    },
  };
}
