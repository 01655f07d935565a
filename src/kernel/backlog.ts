const WINDOW_MS = 1_000; // the pace of the last one to two of these counts
const LEAST_MS = 250; // a busy time shorter than this shows no pace
const REMEMBERED_MS = 60_000;

/**
 * The orders of one process that have not ended, by the upstream they are for, and how long a new one is expected to wait
 * there: the open orders, divided by the pace at which they end. The pace is taken only while more are open than the
 * upstream works on at once: at other times it would tell how many orders came, not how many can be carried out. Times are
 * in milliseconds of one clock that never goes back.
 */
export type Backlog = {
  /** Adds an order. At `expiresAtMs` it waits no more: it was sent, or has expired. */
  add(id: string, upstream: string, nowMs: number, expiresAtMs: number): void;
  /** Whether the order was added and has not ended. */
  has(id: string): boolean;
  /** Removes an order that was not accepted. */
  remove(id: string): void;
  /** Removes an order that has ended; of an order that was not added nothing is noted. */
  end(id: string, nowMs: number): void;
  /** Forgets every order and pace: ends may have been missed. */
  clear(): void;
  /** How long a new order is expected to wait for its end. 0 while a thread is free, or nothing is known of the pace. */
  expectedWaitMs(upstream: string, nowMs: number): number;
};

type Line = {
  open: number;
  busy: { sinceMs: number; ended: number } | null;
  known: { perMs: number; untilMs: number };
};

/** Makes the backlog of a process whose upstreams each work on `threads` requests at once. */
export function newBacklog(threads: number): Backlog {
  const orders = new Map<string, { line: Line; expiresAtMs: number }>(); // in order of addition: about that of expiry
  const lines = new Map<string, Line>();

  function observe(line: Line, nowMs: number): void {
    for (const [id, { expiresAtMs }] of orders) {
      if (expiresAtMs > nowMs) break;
      remove(id);
    }
    if (line.open <= threads) line.busy = null;
    else line.busy ??= { sinceMs: nowMs, ended: 0 };
    const { busy } = line;
    const busyMs = busy ? nowMs - busy.sinceMs : 0;
    if (busy && busyMs >= LEAST_MS) line.known = { perMs: busy.ended / busyMs, untilMs: nowMs + REMEMBERED_MS };
    if (busy && busyMs >= 2 * WINDOW_MS) {
      busy.ended /= 2;
      busy.sinceMs += busyMs / 2;
    }
  }

  function lineOf(upstream: string): Line {
    const line = lines.get(upstream) ?? { open: 0, busy: null, known: { perMs: 0, untilMs: 0 } };
    lines.set(upstream, line);
    return line;
  }

  function remove(id: string): Line | undefined {
    const line = orders.get(id)?.line;
    if (orders.delete(id) && line) line.open -= 1;
    return line;
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
    remove: (id) => void remove(id),
    end(id, nowMs) {
      const line = orders.get(id)?.line;
      if (!line) return;
      observe(line, nowMs);
      if (line.busy) line.busy.ended += 1;
      remove(id);
    },
    clear() {
      orders.clear();
      lines.clear();
    },
    expectedWaitMs(upstream, nowMs) {
      const line = lineOf(upstream);
      observe(line, nowMs);
      const { perMs, untilMs } = line.known;
      return line.busy && nowMs < untilMs && perMs > 0 ? line.open / perMs : 0;
    },
  };
}
