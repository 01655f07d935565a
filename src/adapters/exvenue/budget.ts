import { type Bucket, tokenBucket } from './bucket.ts';

/** Who goes first when the budget is short. */
export type Priority = 'cancel' | 'write' | 'read';

/** A wish to spend. `untilMs` (epoch ms): past it the call is pointless. */
type Wish = { weight: number; priority: Priority; untilMs: number; signal?: AbortSignal | undefined };

/** The venue's request budget, as far as it is ours. */
export type Budget = {
  /** Waits until the weight may be spent, and tells whether it was. Cancels go before writes, writes before reads. */
  take(wish: Wish): Promise<boolean>;
  /** Spends what only the answer showed (the rows of a history). */
  charge(weight: number): void;
  /** The venue said that it is enough: nothing is spent for so long, and what was saved up is gone. */
  halt(ms: number): void;
};

/** Venue facts: rate limits, a weight of 1,200 a minute for one address on the internet. */
const WEIGHT_PER_MINUTE = 1_200;
/** The part of a minute's weight that may be spent at once; the rest trickles in. */
const BURST_PART = 1 / 6;

/**
 * This process's share of the budget. Workers are many: shares that add up to at most 1 stay within the whole without a
 * shared store, a round trip, or a row all of them fight for. The price is that the share of an idle process lies fallow.
 */
export const shareOfBudget = (share: number, weightPerMinute = WEIGHT_PER_MINUTE): Budget => {
  const own = weightPerMinute * share;
  return budgetFrom(tokenBucket({ burst: own * BURST_PART, perSecond: (own * (1 - BURST_PART)) / 60 }));
};

type Waiter = { weight: number; rank: number; grant: () => void };

const RANK = { cancel: 0, write: 1, read: 2 } as const satisfies Record<Priority, number>;

/** Queues wishes before a bucket, by priority and then by age. A store shared by processes would be another bucket. */
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
          signal?.removeEventListener('abort', giveUp);
          resolve(granted);
        };
        const waiter = { weight, rank: RANK[priority], grant: () => end(true) };
        const giveUp = () => {
          end(false);
          leave(waiter);
        };
        const expiry = setTimeout(giveUp, Math.max(0, untilMs - Date.now()));
        if (untilMs <= Date.now() || signal?.aborted) return end(false);
        signal?.addEventListener('abort', giveUp);
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
