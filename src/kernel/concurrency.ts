import { setImmediate as otherWork } from 'node:timers/promises';
import PQueue, { type QueueAddOptions } from 'p-queue';
import { ApiError } from './errors.ts';

type Run = () => Promise<unknown>;
/** The options of work in a queue of lanes. */
export type InLane = QueueAddOptions & { lane: string };

/** The lane that is served before all others: for callers that are known not to flood it. */
export const FIRST = '';

/** Waiting work by lane. The lanes take turns after the first one; within a lane the order is that of arrival. */
export class LaneQueue {
  #lanes = new Map<string | undefined, { run: Run; id: string | undefined }[]>(); // in the order of their turns
  size = 0;

  enqueue(run: Run, { lane, id }: Partial<InLane> = {}): void {
    this.size += 1;
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push({ run, id });
    else this.#lanes.set(lane, [{ run, id }]);
  }

  dequeue(): Run | undefined {
    const lane = this.#lanes.has(FIRST) ? FIRST : this.#lanes.keys().next().value;
    const waiting = this.#lanes.get(lane) ?? [];
    const next = waiting.shift();
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting); // its next turn comes after all other lanes
    if (next) this.size -= 1;
    return next?.run;
  }

  filter({ lane }: Readonly<Partial<InLane>>): Run[] {
    return (this.#lanes.get(lane) ?? []).map(({ run }) => run);
  }

  setPriority(): never {
    throw new Error('Lanes have no priorities');
  }

  /** Removes work that is given up while it waits. */
  remove(id: string): void {
    for (const [lane, waiting] of this.#lanes) {
      const at = waiting.findIndex((each) => each.id === id);
      if (at < 0) continue;
      waiting.splice(at, 1);
      if (waiting.length === 0) this.#lanes.delete(lane);
      this.size -= 1;
    }
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

const STEPS = 200; // of some tens of microseconds each

/**
 * Makes the pause of a computation over a list that may be long, to be awaited before each of its steps: at every 200th the process does its other
 * work first.
 */
export function newPause(): () => Promise<void> | undefined {
  let begun = 0;
  return () => {
    begun += 1;
    return begun % STEPS === 0 ? otherWork() : undefined;
  };
}
