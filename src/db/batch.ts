import { type FragmentSqlToken, sql } from 'slonik';
import { workingOn } from '../kernel/work.ts';
import { databaseIsAway } from './conflicts.ts';
import type { Db } from './pool.ts';
import { waitFromNow } from './waits.ts';

const MAX_BATCH_SIZE = 100; // large enough to amortise a commit, small enough to hold locks only briefly
const SLOW_MS = 1_000; // a batch that takes longer, such as one on a silent connection, no longer delays the next

type Run<Item, Result> = (items: Item[]) => Promise<Result[]>;

/** A waiting item. `waited`: runs what it has waited for. */
type Waiting<Item, Result> = {
  item: Item;
  waited: ReturnType<typeof waitFromNow>;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Turns a function over a batch into one over a single item. Items of one tick share a batch. One batch is in progress
 * at a time, for up to `SLOW_MS`; further items wait for the next one. So a single item starts at once, and many
 * concurrent items share commits. A batch that fails is run again item by item, so that a bad item fails alone, and one that waits for a lock waits
 * alone; not if the database was away, because then no item is to blame. `run` must return one result per item, in order, and may see
 * an item twice. Equal items are not merged, and nothing is cached. A batching library does not fit: its items have their results together.
 */
export function batch<Item, Result>(run: Run<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  function next(): void {
    const members = waiting.splice(0, MAX_BATCH_SIZE);
    isBusy = members.length > 0;
    members[0]?.waited(() => workingOn({}, () => void inTurn(members))); // for several tenants
  }

  async function inTurn(members: Waiting<Item, Result>[]): Promise<void> {
    let isOver = false;
    const over = () => {
      clearTimeout(slow);
      if (!isOver) next();
      isOver = true;
    };
    const slow = setTimeout(over, SLOW_MS);
    await runOrSplit(run, members);
    over();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, waited: waitFromNow(), resolve, reject });
      if (!isBusy) queueMicrotask(next);
      isBusy = true;
    });
}

/** The same for a function that takes a pool: items for the same pool, and of one `kindOf`, share a batch. */
export function batchPerPool<Item, Result>(
  run: (db: Db, items: Item[]) => Promise<Result[]>,
  kindOf: (item: Item) => string = () => '',
): (db: Db, item: Item) => Promise<Result> {
  const pools = new WeakMap<Db, Map<string, (item: Item) => Promise<Result>>>();
  return (db, item) => {
    const kind = kindOf(item);
    const kinds = pools.get(db) ?? new Map<string, (item: Item) => Promise<Result>>();
    const ofKind = kinds.get(kind) ?? batch((items: Item[]) => run(db, items));
    pools.set(db, kinds.set(kind, ofKind));
    return ofKind(item);
  };
}

async function runOrSplit<Item, Result>(run: Run<Item, Result>, members: Waiting<Item, Result>[]): Promise<void> {
  try {
    const results = await run(members.map(({ item }) => item));
    if (results.length !== members.length)
      throw new Error(`A batch of ${members.length} has ${results.length} results`);
    members.forEach(({ resolve }, n) => void resolve(results[n] as Result)); // as: it has as many
  } catch (error) {
    if (members.length === 1 || databaseIsAway(error)) for (const { reject } of members) reject(error);
    else await Promise.all(members.map((member) => runOrSplit(run, [member])));
  }
}

/** Items as JSON for a statement of one caller, each with its position `n`. */
export const numberedJson = (items: object[]): string => JSON.stringify(items.map((item, n) => ({ ...item, n })));

/** The same for a statement of a batch, which waits for no lock for long, see `share_locks`. */
export const numbered = (items: object[]): FragmentSqlToken => sql.fragment`share_locks(${numberedJson(items)}::jsonb)`;

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
