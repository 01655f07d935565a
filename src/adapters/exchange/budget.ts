import { type Bucket, tokenBucket } from './bucket.ts';

/** Order of service when the budget is short: cancels, then writes, then reads. */
export type Priority = 'cancel' | 'write' | 'read';

/** A request to spend. After `untilMs` (epoch ms) the call is pointless. */
type Spending = { weight: number; priority: Priority; untilMs: number; signal?: AbortSignal | undefined };

/** This process's share of the venue's request budget. */
export type Budget = {
  /** Waits until the weight may be spent. False if it was not spent. Cancels go before writes, writes before reads. */
  take(spending: Spending): Promise<boolean>;
  /** Spends weight that is known only from the response (the rows of a history). */
  charge(weight: number): void;
  /** Handles a 429 of the venue: empties the budget and spends nothing for `ms`. */
  halt(ms: number): void;
};

/** Venue facts: rate limits, a weight of 1,200 per minute for one IP address. */
const WEIGHT_PER_MINUTE = 1_200;
/** The part of a minute's weight that may be spent at once. The rest is refilled steadily. */
const BURST_PART = 1 / 6;

/**
 * Creates this process's share of the budget. Shares of all processes that add up to at most 1 keep the venue's limit
 * without a shared store, a round trip or a contended row. The cost: the share of an idle process is unused.
 */
export const shareOfBudget = (share: number, weightPerMinute = WEIGHT_PER_MINUTE): Budget => {
  const allowance = weightPerMinute * share;
  return budgetFrom(tokenBucket({ burst: allowance * BURST_PART, perSecond: (allowance * (1 - BURST_PART)) / 60 }));
};

type Waiter = { weight: number; rank: number; grant: () => void };

const RANK = { cancel: 0, write: 1, read: 2 } as const satisfies Record<Priority, number>;

/**
 * Queues spendings in front of a bucket, by priority, then by age. A store shared by processes would be another bucket.
 * A queue library does not fit: it dequeues a task before the task waits, so a cancel would wait behind a read without
 * weight.
 */
export const budgetFrom = (bucket: Bucket): Budget => {
  const queue: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;
  const serve = () => {
    clearTimeout(timer);
    for (let head = queue[0]; head; head = queue[0]) {
      const ms = bucket.waitMs(head.weight);
      if (ms > 0) {
        timer = setTimeout(serve, ms);
        return;
      }
      queue.shift();
      bucket.spend(head.weight);
      head.grant();
    }
  };
  const leave = (waiter: Waiter) => {
    const at = queue.indexOf(waiter);
    if (at >= 0) queue.splice(at, 1);
    serve();
  };
  return {
    take: ({ weight, priority, untilMs, signal }) =>
      new Promise((resolve) => {
        const end = (granted: boolean) => {
          clearTimeout(expiry);
          signal?.removeEventListener('abort', abandon);
          resolve(granted);
        };
        const waiter = { weight, rank: RANK[priority], grant: () => end(true) };
        const abandon = () => {
          end(false);
          leave(waiter);
        };
        const expiry = setTimeout(abandon, Math.max(0, untilMs - Date.now()));
        if (untilMs <= Date.now() || signal?.aborted) return end(false);
        signal?.addEventListener('abort', abandon);
        insert(queue, waiter);
        serve();
      }),
    charge: (weight) => bucket.spend(weight),
    halt: (ms) => bucket.halt(ms),
  };
};

const insert = (queue: Waiter[], waiter: Waiter): void => {
  const at = queue.findIndex(({ rank }) => rank > waiter.rank);
  queue.splice(at < 0 ? queue.length : at, 0, waiter);
};
