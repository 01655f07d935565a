import PQueue, { type QueueAddOptions } from 'p-queue';
import { ApiError } from './errors.ts';

type Run = () => Promise<unknown>;
type InLane = QueueAddOptions & { lane: string };

/** The lane that is served before all others: for callers that are known not to flood it. */
export const FIRST = '';

/** Waiting work by lane. The lanes take turns after the first one; within a lane the order is that of arrival. */
class LaneQueue {
  #lanes = new Map<string | undefined, Run[]>(); // in the order of their turns

  get size(): number {
    return this.#lanes.size; // only ever compared with 0: no lane is kept empty
  }

  enqueue(run: Run, { lane }: Partial<InLane> = {}): void {
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push(run);
    else this.#lanes.set(lane, [run]);
  }

  dequeue(): Run | undefined {
    const lane = this.#lanes.has(FIRST) ? FIRST : this.#lanes.keys().next().value;
    const waiting = this.#lanes.get(lane) ?? [];
    const run = waiting.shift();
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting); // its next turn comes after all other lanes
    return run;
  }

  filter({ lane }: Readonly<Partial<InLane>>): Run[] {
    return this.#lanes.get(lane) ?? [];
  }

  setPriority(): never {
    throw new Error('Lanes have no priorities');
  }

  remove(): never {
    throw new Error('Work that waits in a lane is not removed');
  }
}

/** Runs work of several lanes with bounded concurrency. */
export type FairLimit = {
  /** Runs a piece of work in its turn. Throws SERVICE_UNAVAILABLE when too much of the lane is waiting. */
  run<Result>(lane: string, work: () => Promise<Result>): Promise<Result>;
  /** How much of a lane is waiting. */
  waiting(lane: string): number;
};

/**
 * Makes a limiter that runs at most `concurrency` pieces of work at once. The lanes with waiting work take turns, so a
 * new piece waits for at most one piece of each other lane, besides those of its own and of the first. At most
 * `maxWaiting` of a lane wait, so that a flood of requests cannot exhaust memory.
 */
export function fairLimit(concurrency: number, maxWaiting: number): FairLimit {
  const queue = new PQueue<LaneQueue, InLane>({ concurrency, queueClass: LaneQueue });
  const waiting = (lane: string) => queue.sizeBy({ lane });
  return {
    waiting,
    async run(lane, work) {
      if (waiting(lane) >= maxWaiting) throw new ApiError('SERVICE_UNAVAILABLE', { retryAfterS: 1 });
      return queue.add(work, { lane });
    },
  };
}
