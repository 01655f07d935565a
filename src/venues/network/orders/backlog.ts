import { LRUCache } from 'lru-cache';
import { mostEntries } from '../../../kernel/cache.ts';
import type { IntentId } from '../../../kernel/ids.ts';

const WINDOW_MS = 1_000; // the pace of the last one to two of these counts
const LEAST_MS = 250; // a busy time shorter than this shows no pace
const REMEMBERED_MS = 60_000;
/** How many upstreams or lanes are remembered, those used last; a forgotten one starts again. */
const MOST_LINES = 10_000;

/**
 * An upper bound for the number of orders that end in a span of time in which so many ended: about the upper limit of the 97.5 % confidence interval
 * of a Poisson distribution. A few ends say little about the pace, and no order is rejected on a guess.
 */
const atMost = (ended: number) => (ended === 0 ? 0 : ended + 2 * Math.sqrt(ended + 1) + 2);

/**
 * The orders of one process that have not ended, by the upstream they are for, and how long a new one is expected to wait
 * there: the open orders, divided by the pace at which they end. The pace is taken only while more are open than the
 * upstream works on at once: at other times it would show how many orders arrived, not how many can be executed. It is the
 * fastest that the ends seen allow for, so that the wait is hardly ever estimated too long. Times are in milliseconds of one
 * clock that never goes back.
 */
export type Backlog = {
  /** Adds an order. At `expiresAtMs` it no longer waits: it was sent, or has expired. */
  add(id: IntentId, upstream: string, nowMs: number, expiresAtMs: number): void;
  /** Whether the order was added and has not ended. */
  has(id: IntentId): boolean;
  /** Removes an order that was not accepted. */
  remove(id: IntentId): void;
  /** Removes an order that has ended. No effect for an order that was not added. */
  end(id: IntentId, nowMs: number): void;
  /**
   * How long a new order is expected to wait for its end, behind `ahead` others: by default all that are open. 0 while a thread
   * is free, or nothing is known of the pace.
   */
  expectedWaitMs(upstream: string, nowMs: number, ahead?: number): number;
};

type Line = {
  open: number;
  busy: { sinceMs: number; ended: number } | null;
  known: { perMs: number; untilMs: number };
};

/** Makes the backlog of a process whose upstreams each work on `threads` requests at once. */
export function newBacklog(threads: number): Backlog {
  const orders = new Map<IntentId, { line: Line; expiresAtMs: number }>(); // in order of addition: about that of expiry
  const lines = new LRUCache<string, Line>(mostEntries(MOST_LINES));

  function observe(line: Line, nowMs: number): void {
    for (const [id, { expiresAtMs }] of orders) {
      if (expiresAtMs > nowMs) break;
      remove(id);
    }
    if (line.open <= threads) line.busy = null;
    else line.busy ??= { sinceMs: nowMs, ended: 0 };
    const { busy } = line;
    const busyMs = busy ? nowMs - busy.sinceMs : 0;
    if (busy && busyMs >= LEAST_MS) line.known = { perMs: atMost(busy.ended) / busyMs, untilMs: nowMs + REMEMBERED_MS };
    if (busy && busyMs >= 2 * WINDOW_MS) {
      busy.ended /= 2;
      busy.sinceMs += busyMs / 2;
    }
  }

  function lineOf(upstream: string): Line {
    const line = lines.get(upstream) ?? { open: 0, busy: null, known: { perMs: 0, untilMs: 0 } };
    lines.set(upstream, line, { size: 1 });
    return line;
  }

  function remove(id: IntentId): void {
    const line = orders.get(id)?.line;
    if (orders.delete(id) && line) line.open -= 1;
  }

  function end(id: IntentId, nowMs: number): void {
    const line = orders.get(id)?.line;
    if (!line) return;
    observe(line, nowMs);
    if (line.busy) line.busy.ended += 1;
    remove(id);
  }

  return {
    add(id, upstream, nowMs, expiresAtMs) {
      const line = lineOf(upstream);
      remove(id);
      orders.set(id, { line, expiresAtMs });
      line.open += 1;
      observe(line, nowMs);
    },
    has: (id) => orders.has(id),
    remove,
    end,
    expectedWaitMs(upstream, nowMs, ahead) {
      const line = lineOf(upstream);
      observe(line, nowMs);
      const { perMs, untilMs } = line.known;
      return line.busy && nowMs < untilMs && perMs > 0 ? (ahead ?? line.open) / perMs : 0;
    },
  };
}
