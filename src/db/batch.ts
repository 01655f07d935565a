import DataLoader from 'dataloader';
import { type FragmentSqlToken, sql } from 'slonik';
import { workingOn } from '../kernel/work.ts';
import { databaseIsAway } from './conflicts.ts';
import type { Db } from './pool.ts';
import { waitFromNow } from './waits.ts';

const MAX_BATCH_SIZE = 100; // large enough to amortise a commit, small enough to hold locks only briefly
const SLOW_MS = 1_000; // a batch that takes longer, such as one on a silent connection, no longer delays the next

type Run<Item, Result> = (items: Item[]) => Promise<Result[]>;

/**
 * Turns a function over a batch into one over a single item. Items of one tick share a batch. One batch is in progress
 * at a time, for up to `SLOW_MS`; further items wait for the next one. So a single item starts at once, and many
 * concurrent items share commits. A batch that fails is run again item by item, so that a bad item fails alone; not if
 * the database was away, because then no item is to blame. `run` must return one result per item, in order, and may see
 * an item twice. Equal items are not merged, and nothing is cached.
 */
export function batch<Item, Result>(run: Run<Item, Result>): (item: Item) => Promise<Result> {
  const turns = oneAtATime();
  const loader = new DataLoader<Item, Result>((items) => turns.during(runOrSplit(run, [...items])), {
    batchScheduleFn: turns.enqueue,
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
  });
  return (item) => loader.load(item);
}

/** The same for a function that takes a pool: items for the same pool share a batch. */
export function batchPerPool<Item, Result>(
  run: (db: Db, items: Item[]) => Promise<Result[]>,
): (db: Db, item: Item) => Promise<Result> {
  const pools = new WeakMap<Db, (item: Item) => Promise<Result>>();
  return (db, item) => {
    const ofPool = pools.get(db) ?? batch((items: Item[]) => run(db, items));
    pools.set(db, ofPool);
    return ofPool(item);
  };
}

/** Dispatches batches one after the other. Each names the work whose end, or `SLOW_MS`, lets the next begin. */
function oneAtATime() {
  const waiting: (() => void)[] = [];
  let isBusy = false;
  const next = () => {
    const dispatch = waiting.shift();
    isBusy = dispatch !== undefined;
    dispatch?.();
  };
  return {
    enqueue(dispatch: () => void): void {
      const waited = waitFromNow(); // by the first item of the batch
      const start = () => waited(() => workingOn({}, dispatch)); // for several tenants, whoever was the first
      if (isBusy) waiting.push(start);
      else queueMicrotask(start);
      isBusy = true;
    },
    async during<Result>(work: Promise<Result>): Promise<Result> {
      let isOver = false;
      const over = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        next();
      };
      const timer = setTimeout(over, SLOW_MS);
      return work.finally(over);
    },
  };
}

async function runOrSplit<Item, Result>(run: Run<Item, Result>, items: Item[]): Promise<(Result | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (items.length === 1 || databaseIsAway(error)) return items.map(() => asError(error));
    return (await Promise.all(items.map((item) => runOrSplit(run, [item])))).flat();
  }
}

/** The loader rejects an item whose result is an error. */
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** A batch as JSON for a statement, each item with its position `n`. */
export const numbered = (items: object[]): string => JSON.stringify(items.map((item, n) => ({ ...item, n })));

/**
 * The texts of a batch as rows of one column, for a prepared statement. PostgreSQL plans a statement with an array
 * again at each execution, because its length changes the estimate; that can take longer than the statement.
 */
export const each = (texts: readonly string[]): FragmentSqlToken =>
  sql.fragment`jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`;

/** The `ok` of each row, ordered by position `n`. The statement must return a row for every item of the batch. */
export function inOrder(rows: readonly { n: number; ok: boolean }[]): boolean[] {
  const results: boolean[] = [];
  for (const { n, ok } of rows) results[n] = ok;
  return results;
}
