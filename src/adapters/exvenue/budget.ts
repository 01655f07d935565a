/** Who goes first when the budget is short. */
export type Priority = 'cancel' | 'write' | 'read';

/** A wish to spend. `untilMs` (epoch ms): past it the call is pointless. */
export type Wish = { weight: number; priority: Priority; untilMs: number; signal?: AbortSignal | undefined };

/**
 * A share of the venue's request budget. `take` waits until its weight may be spent and tells whether it was; a false
 * spends nothing. Cancels are served before other writes, writes before reads, each in order of asking.
 */
export type Budget = {
  take(wish: Wish): Promise<boolean>;
  /** Spends what only the answer showed (rows of a history); later wishes wait for it. */
  charge(weight: number): void;
  /** The venue said that it is enough: nothing is spent for so long, and what was saved up is gone. */
  halt(ms: number): void;
};

/** Venue facts: rate limits, 1,200 of weight a minute for one address on the internet. */
const WEIGHT_PER_MINUTE = 1_200;
/** What may be spent at once. With the rest trickling in, no minute ever sees more than the whole. */
const BURST = 200;

/**
 * A token bucket in this process. Workers are many, so each is given a share and the shares add up to at most 1: that
 * the whole stays within the budget needs no shared store, no round trip, and no trust in one. The price is that an idle
 * process's share lies fallow. In any 60 s it grants at most share × 1,200, and one call larger than its burst on top.
 */
export const budgetOf = (share: number): Budget =>
  tokenBucket({ burst: BURST * share, perSecond: ((WEIGHT_PER_MINUTE - BURST) * share) / 60 });

type Waiter = Wish & { done: (granted: boolean) => void };

const ORDER: readonly Priority[] = ['cancel', 'write', 'read'];

/** A bucket of any size. It starts full. */
export const tokenBucket = ({ burst, perSecond }: { burst: number; perSecond: number }): Budget => {
  let tokens = burst;
  let filledAt = Date.now();
  let waiters: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  const refill = () => {
    const passedMs = Date.now() - filledAt; // negative while halted
    if (passedMs <= 0) return;
    tokens = Math.min(burst, tokens + (passedMs / 1_000) * perSecond);
    filledAt += passedMs;
  };
  /** How long until a weight may be spent. A weight above the burst waits for a full bucket and leaves a debt. */
  const waitMs = (weight: number) => {
    const missing = Math.min(weight, burst) - tokens;
    const haltedMs = Math.max(0, filledAt - Date.now());
    return missing <= 0 && haltedMs === 0 ? 0 : haltedMs + Math.ceil((Math.max(0, missing) / perSecond) * 1_000);
  };
  const leave = (waiter: Waiter, granted: boolean) => {
    waiters = waiters.filter((other) => other !== waiter);
    if (granted) tokens -= waiter.weight;
    waiter.done(granted);
  };
  const serve = () => {
    clearTimeout(timer);
    refill();
    for (let next = first(waiters); next; next = first(waiters)) {
      if (next.untilMs <= Date.now() || next.signal?.aborted) leave(next, false);
      else if (waitMs(next.weight) === 0) leave(next, true);
      else break;
    }
    const head = first(waiters);
    if (!head) return;
    const soonest = Math.min(waitMs(head.weight), ...waiters.map(({ untilMs }) => untilMs - Date.now()));
    for (const late of waiters.filter(({ untilMs }) => untilMs <= Date.now())) leave(late, false);
    timer = setTimeout(serve, Math.max(1, soonest));
  };

  return {
    take: (wish) =>
      new Promise((done) => {
        waiters.push({ ...wish, done });
        wish.signal?.addEventListener('abort', serve, { once: true });
        serve();
      }),
    charge: (weight) => {
      refill();
      tokens -= weight;
    },
    halt: (ms) => {
      refill();
      tokens = Math.min(0, tokens);
      filledAt = Math.max(filledAt, Date.now() + ms);
    },
  };
};

const first = (waiters: Waiter[]): Waiter | undefined => {
  const priority = ORDER.find((name) => waiters.some((waiter) => waiter.priority === name));
  return waiters.find((waiter) => waiter.priority === priority);
};
