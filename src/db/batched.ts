import type { Db } from './pool.ts';

const LARGEST_BATCH = 100; // one commit for this many at most: enough to amortise it, short enough to hold locks

/**
 * Turns a function over a batch into one over a single item. While a batch is under way the next one gathers, so
 * an item alone goes out at once and a crowd shares its commits. A batch that fails as a whole is tried item by
 * item: a bad item fails only itself. `run` answers in the order of its items and may see an item twice.
 */
export function batched<Item, Result>(run: (items: Item[]) => Promise<Result[]>): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  const gathered: Waiting[] = [];
  let underWay = false;

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      if (!underWay) void goOn();
    });

  async function goOn(): Promise<void> {
    underWay = true;
    while (gathered.length > 0) {
      const batch = gathered.splice(0, LARGEST_BATCH);
      await settle(batch);
    }
    underWay = false;
  }

  async function settle(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [n, waiting] of batch.entries()) waiting.resolve(results[n] as Result); // one result per item
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map((waiting) => settle([waiting])));
    }
  }
}

/** The same for what works on a pool: items that come together at one pool share a batch. */
export function batchedOn<Item, Result>(
  run: (db: Db, items: Item[]) => Promise<Result[]>,
): (db: Db, item: Item) => Promise<Result> {
  const pools = new WeakMap<Db, (item: Item) => Promise<Result>>();
  return (db, item) => {
    const own = pools.get(db) ?? batched((items: Item[]) => run(db, items));
    pools.set(db, own);
    return own(item);
  };
}

/** A batch as a statement reads it: JSON, each item with its place `n`. */
export const numbered = (batch: object[]): string => JSON.stringify(batch.map((item, n) => ({ ...item, n })));

/** What a statement said of each item of a batch, in the order of the batch. It has a row for every item. */
export function inOrder(rows: readonly { n: number; ok: boolean }[]): boolean[] {
  const said: boolean[] = [];
  for (const { n, ok } of rows) said[n] = ok;
  return said;
}
