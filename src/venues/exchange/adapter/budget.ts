import { type BudgetLedger, EXCHANGE_WEIGHT_PER_MINUTE, type Priority } from '../../../kernel/shared-upstream.ts';
import { epochMs } from '../../../kernel/work.ts';
import { fairTurns } from './turns.ts';

/**
 * A request to spend. After `untilMs` (epoch ms) the call is pointless. `reader`: whom it is for; readers of one priority
 * take turns by weight.
 */
type Spending = {
  weight: number;
  priority: Priority;
  untilMs: number;
  reader?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** The venue's request budget, as the calls of this process wait for it. */
export type Budget = {
  /**
   * Waits until the weight is spent; an exit after a 429 not longer than a second or a few. False if it was not: too late,
   * aborted, or the ledger could not be reached.
   */
  take(spending: Spending): Promise<boolean>;
  /** Charges a weight that is known only from the response (the rows of a history). Negative: gives it back. */
  charge(weight: number): void;
  /** Handles a 429 of the venue: empties the budget and spends nothing for `ms`. */
  halt(ms: number): void;
};

/**
 * The parts of a minute's weight that remain for more urgent calls of any process. An exit and its reads are covered
 * (61 for a cancellation with one builder dex), whatever else is waiting.
 */
const KEPT_PART = { exit: 0, write: 0.055, read: 0.085 } as const satisfies Record<Priority, number>;
const RANK = { exit: 0, write: 1, read: 2 } as const satisfies Record<Priority, number>;

/**
 * After a 429 nothing is granted for as long as the venue says, but an exit that has waited for so long is sent all the same, one at a time:
 * it costs little, and its trader's position is at stake. The pause doubles with every 429 and is the first one again after a grant.
 */
const PROBE_AFTER_MS = 1_000;
const LONGEST_PROBE_MS = 8_000;

/** How many waiting calls are asked for in one step, and the longest pause before the next step. */
const AT_ONCE = 50;
const PAUSE_MS = 500;

type Waiter = { weight: number; keep: number; rank: number; turn: number; end: (granted: boolean) => boolean };

/**
 * Queues the calls of this process in front of a ledger: by priority, then by turns of readers, then by age. A queue
 * library does not fit: it dequeues a task before the task waits, so a cancel would wait behind a read without weight.
 */
export const budgetFrom = (ledger: BudgetLedger, weightPerMinute = EXCHANGE_WEIGHT_PER_MINUTE): Budget => {
  const queue: Waiter[] = [];
  const turns = fairTurns();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  let probeMs = PROBE_AFTER_MS;
  let probeAt = 0;
  const charge = (weight: number) => void ledger.charge(weight).catch(() => {}); // the refill makes up for a lost charge

  const serve = async (): Promise<void> => {
    if (isAsking) return;
    clearTimeout(timer);
    isAsking = true;
    for (let pauseMs = 0; pauseMs === 0 && queue.length > 0; ) pauseMs = await step();
    isAsking = false;
  };
  /** Asks for the first waiting calls. Resolves to the pause before the next step; 0: none. */
  const step = async (): Promise<number> => {
    const asked = queue.slice(0, AT_ONCE);
    const granted = await ledger.spend(asked.map(({ weight, keep }) => ({ weight, keep }))).catch(() => null);
    const ended = granted ? asked.slice(0, granted.spent) : asked;
    if (granted && ended.length > 0) probeMs = PROBE_AFTER_MS;
    for (const waiter of ended) {
      remove(queue, waiter);
      turns.served(waiter.rank, waiter.turn);
      if (!waiter.end(granted !== null) && granted) charge(-waiter.weight); // it has left meanwhile
    }
    const waitMs = granted?.waitMs ?? 0;
    if (waitMs === 0 || queue[0] !== asked[ended.length]) return 0; // or a more urgent call has arrived
    const pauseMs = Math.min(PAUSE_MS, Math.ceil(waitMs));
    timer = setTimeout(serve, pauseMs);
    return pauseMs;
  };

  return {
    take: ({ weight, priority, untilMs, reader = '', signal }) =>
      new Promise((resolve) => {
        let hasEnded = false;
        const end = (granted: boolean): boolean => {
          if (hasEnded) return false;
          hasEnded = true;
          clearTimeout(expiry);
          clearTimeout(probing);
          signal?.removeEventListener('abort', leave);
          resolve(granted);
          return true;
        };
        const rank = RANK[priority];
        const turn = turns.next(rank, reader, weight);
        const waiter = { weight, keep: KEPT_PART[priority] * weightPerMinute, rank, turn, end };
        const leave = () => {
          const wasFirst = queue[0] === waiter;
          remove(queue, waiter);
          end(false);
          if (wasFirst) void serve();
        };
        const expiry = setTimeout(leave, Math.max(0, untilMs - epochMs()));
        let probing: NodeJS.Timeout | undefined;
        const probe = () => {
          const inMs = probeAt - epochMs();
          if (inMs > 0) probing = setTimeout(probe, inMs);
          else if (remove(queue, waiter)) {
            probeAt = epochMs() + probeMs;
            charge(weight);
            end(true);
          }
        };
        if (priority === 'exit') probing = setTimeout(probe, PROBE_AFTER_MS);
        if (untilMs <= epochMs() || signal?.aborted) return void end(false);
        signal?.addEventListener('abort', leave);
        insert(queue, waiter);
        if (queue[0] === waiter) void serve();
      }),
    charge,
    halt(ms) {
      if (epochMs() < probeAt) probeMs = Math.min(2 * probeMs, LONGEST_PROBE_MS); // a probe met it
      probeAt = epochMs() + probeMs;
      void ledger.halt(ms).catch(() => {});
    },
  };
};

const insert = (queue: Waiter[], waiter: Waiter): void => {
  const at = queue.findIndex(({ rank, turn }) => rank > waiter.rank || (rank === waiter.rank && turn > waiter.turn));
  queue.splice(at < 0 ? queue.length : at, 0, waiter);
};

/** Whether the call was still waiting. */
const remove = (queue: Waiter[], waiter: Waiter): boolean => {
  const at = queue.indexOf(waiter);
  if (at >= 0) queue.splice(at, 1);
  return at >= 0;
};
