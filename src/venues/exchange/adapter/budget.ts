import { keptBefore, type Priority, sparedBy } from '../../../capacity/exchange.ts';
import { newestOfMost } from '../../../kernel/at-once.ts';
import type { BudgetLedger, Demand } from '../../../kernel/shared-upstream.ts';
import { epochMs, presentWork } from '../../../kernel/work.ts';
import { fairTurns, type Place } from './turns.ts';

/**
 * A request to spend. After `untilMs` (epoch ms) the call is pointless. `tenant` and `reader`: for whom it is; tenants of one
 * priority take turns by weight, and the readers of each.
 */
type Spending = {
  weight: number;
  priority: Priority;
  untilMs: number;
  tenant?: string | undefined;
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

const RANK = { exit: 0, entry: 1, read: 2 } as const satisfies Record<Priority, number>;

/**
 * After a 429 nothing is granted for as long as the venue says, but after so long an exit that waits is sent all the same, one at a time, in turns: it
 * costs little, and its trader's position is at stake. The pause doubles with every 429 and is the first one again after a grant.
 */
const PROBE_AFTER_MS = 1_000;
const LONGEST_PROBE_MS = 8_000;

/** How many waiting calls are asked for in one step, and the longest pause before the next step. */
const AT_ONCE = 50;
const PAUSE_MS = 500;

/** `intent`: the verb that waits; it may wait for several calls at once. */
type Waiter = Place & {
  demand: Demand;
  intent: string | undefined;
  end(granted: boolean): boolean;
  leave(): void;
};

/**
 * Queues the calls of this process in front of a ledger: by priority, then by turns of tenants and their readers, then by age. At most `mostWaiting`
 * verbs of exits and as many of entries wait, because each holds a job of the queue. A queue library does not fit: it dequeues a task before the task
 * waits, so a cancel would wait behind a read without weight.
 */
export const budgetFrom = (
  ledger: BudgetLedger,
  weightPerMinute?: number,
  mostWaiting = Number.POSITIVE_INFINITY,
): Budget => {
  const queue: Waiter[] = [];
  const turns = fairTurns();
  /** The first calls in their turns, and the first of every line: a tenant that has spent little is served beside those that wait. */
  const reach = (): Waiter[] => [...new Set([...turns.first(queue, AT_ONCE), ...firstOfLines(queue)])];
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  let probeMs = PROBE_AFTER_MS;
  let probeAt = 0; // by performance.now(): the time may be set back
  let isProbing = false;
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
    const asked = reach();
    const granted = await ledger.spend(asked.map(({ demand }) => demand)).catch(() => null);
    const spent = granted && new Set(granted.spent);
    const ended = spent ? asked.filter((_, n) => spent.has(n)) : asked;
    if (granted && ended.length > 0) probeMs = PROBE_AFTER_MS;
    for (const waiter of ended) {
      remove(queue, waiter);
      turns.served(waiter);
      if (!waiter.end(granted !== null) && granted) charge(-waiter.weight); // it has left meanwhile
    }
    const waitMs = granted?.waitMs ?? 0;
    const blocked = new Set(asked.filter((waiter) => queue.includes(waiter)).map(lineOf));
    if (waitMs === 0 || reach().some((waiter) => !blocked.has(lineOf(waiter)))) return 0; // or a call of another line has arrived
    const pauseMs = Math.min(PAUSE_MS, Math.ceil(waitMs));
    timer = setTimeout(serve, pauseMs);
    return pauseMs;
  };

  const planProbe = (): void => {
    if (isProbing) return;
    isProbing = true;
    const inMs = probeAt - performance.now();
    setTimeout(probe, inMs > 0 ? inMs : PROBE_AFTER_MS);
  };
  /** During a pause of the venue, sends the exit whose turn it is. Looks again while exits wait. */
  const probe = async (): Promise<void> => {
    const isDue = performance.now() >= probeAt && (await ledger.isHalted().catch(() => false));
    const [next] = isDue ? turns.first(queue.filter(isExit), 1) : [];
    if (next) {
      remove(queue, next);
      turns.served(next);
      probeAt = performance.now() + probeMs;
      charge(next.weight);
      next.end(true);
    }
    isProbing = false;
    if (queue.some(isExit)) planProbe();
  };

  /** If too many verbs wait, ends the wait of the newest verb of the tenant that has most of them, with all its calls. */
  const makeRoom = (waiting: Waiter[]): void => {
    const verbs = [...Map.groupBy(waiting, ({ intent }) => intent).values()];
    if (verbs.length <= mostWaiting) return;
    const { intent: newest } = newestOfMost(verbs.flatMap(([first]) => first ?? []));
    for (const each of waiting) if (each.intent === newest) each.leave();
  };

  return {
    take: ({ weight, priority, untilMs, tenant = '', reader = '', signal }) =>
      new Promise((resolve) => {
        let hasEnded = false;
        const end = (granted: boolean): boolean => {
          if (hasEnded) return false;
          hasEnded = true;
          clearTimeout(expiry);
          signal?.removeEventListener('abort', leave);
          resolve(granted);
          return true;
        };
        const place = turns.enter({ rank: RANK[priority], tenant, reader, weight });
        const keep = keptBefore(priority, weightPerMinute);
        const spender = priority === 'exit' ? `exits of ${tenant}` : tenant;
        const demand = { weight, keep, ...sparedBy(priority, weightPerMinute), tenant: spender };
        const leave = () => {
          const wasFirst = isFirstOfLine(queue, waiter);
          remove(queue, waiter);
          end(false);
          if (wasFirst) void serve();
        };
        const { intent_id: intent } = presentWork();
        const waiter = { ...place, demand, intent, end, leave };
        const expiry = setTimeout(leave, Math.max(0, untilMs - epochMs()));
        if (untilMs <= epochMs() || signal?.aborted) return void end(false);
        signal?.addEventListener('abort', leave);
        queue.push(waiter);
        if (priority !== 'read') makeRoom(queue.filter(({ rank }) => rank === waiter.rank));
        if (isExit(waiter)) planProbe();
        if (isFirstOfLine(queue, waiter)) void serve();
      }),
    charge,
    halt(ms) {
      if (performance.now() < probeAt) probeMs = Math.min(2 * probeMs, LONGEST_PROBE_MS); // the limit was still in force
      probeAt = performance.now() + probeMs;
      void ledger.halt(ms).catch(() => {});
    },
  };
};

/** Calls of one line, a tenant's of one priority, follow each other: none is granted while one before it is not. */
const lineOf = ({ rank, tenant }: Waiter): string => `${rank} ${tenant}`;

const firstOfLines = (queue: readonly Waiter[]): Waiter[] =>
  [...Map.groupBy(queue, lineOf).values()].map((calls) => calls.reduce((a, b) => (b.turn < a.turn ? b : a)));

const isFirstOfLine = (queue: readonly Waiter[], waiter: Waiter): boolean =>
  !queue.some((other) => lineOf(other) === lineOf(waiter) && other.turn < waiter.turn);

const isExit = ({ rank }: Place): boolean => rank === RANK.exit;

/** Whether the call was still waiting. */
const remove = (queue: Waiter[], waiter: Waiter): boolean => {
  const at = queue.indexOf(waiter);
  if (at >= 0) queue.splice(at, 1);
  return at >= 0;
};
