import { LRUCache } from 'lru-cache';
import { type FragmentSqlToken, sql } from 'slonik';
import { mostEntries } from '../kernel/cache.ts';
import { fairLimit } from '../kernel/concurrency.ts';
import { presentWork, type Work, workingOn } from '../kernel/work.ts';
import { databaseIsAway, waitedTooLong } from './conflicts.ts';
import type { Db } from './pool.ts';
import { waitFromNow } from './waits.ts';

const MAX_BATCH_SIZE = 100; // large enough to amortise a commit, small enough to hold locks only briefly
const SLOW_MS = 1_000; // a batch that takes longer, such as one on a silent connection, no longer delays the next
const ALONE_AT_ONCE = 4; // connections for items that are run alone; the rest stays free for other work
/** How long a statement waits for a lock: one of several callers, one item that is run alone after that, and items that a lock still holds up. */
const LOCK_MS = { shared: 500, alone: 50, held: 3_000 }; // `held` is below the limit of a statement, so the server gives up first and the connection is kept

/** What a tenant that was held up asks for shares no batch with others until it has asked for nothing for so long. */
const APART_MS = 5_000;
const MOST_APART = 1_000; // tenants at a time

const OF_ALL: Work = {}; // a batch is for several tenants, and takes a connection in the turn of none

/** Runs a batch in one statement. `lockMs`: how long it waits for a lock. */
type Run<Item, Result> = (items: Item[], lockMs: number) => Promise<Result[]>;

/** A waiting item. `waited` runs work with the time limit that began when the item arrived. */
type Waiting<Item, Result> = {
  item: Item;
  tenant: string | undefined;
  waited: ReturnType<typeof waitFromNow>;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Turns a function over a batch into one over a single item. Items of one tick share a batch. One batch is in progress
 * at a time, for up to `SLOW_MS`; further items wait for the next one. So a single item starts at once, and many
 * concurrent items share commits. A batch that fails is run again item by item, so that a bad item fails alone, and those that wait for a lock
 * wait apart, each tenant's together; not if the database was away, because then no item is to blame. A tenant that was held up has batches of
 * its own (`on`) for a while: what holds it is often held for longer, and each batch would wait for it again. `run` must return one result per
 * item, in order, and may see an item more than once. Equal items are not merged, and nothing is cached. A batching library does not fit: its
 * items have their results together.
 */
export function batch<Item, Result>(run: Run<Item, Result>, on = OF_ALL): (item: Item) => Promise<Result> {
  type Members = Waiting<Item, Result>[];
  const waiting: Members = [];
  const apart = new LRUCache<string, (item: Item) => Promise<Result>>({
    ...mostEntries(MOST_APART),
    ttl: APART_MS,
    updateAgeOnGet: true,
  });
  const alone = fairLimit(ALONE_AT_ONCE, Number.POSITIVE_INFINITY);
  let isBusy = false;

  function next(): void {
    const members = waiting.splice(0, MAX_BATCH_SIZE);
    isBusy = members.length > 0;
    if (isBusy) void inTurn(members);
  }

  async function inTurn(members: Members): Promise<void> {
    let isOver = false;
    const over = () => {
      clearTimeout(slow);
      if (!isOver) next();
      isOver = true;
    };
    const slow = setTimeout(over, SLOW_MS);
    await runOrSplit(members, members.length === 1 ? LOCK_MS.held : LOCK_MS.shared, on);
    over();
  }

  async function runOrSplit(members: Members, lockMs: number, as: Work): Promise<void> {
    try {
      await runTogether(members, lockMs, as);
    } catch (error) {
      const wasHeld = lockMs === LOCK_MS.held && waitedTooLong(error);
      if (wasHeld) keptApart(members[0]?.tenant); // they are one tenant's
      if (wasHeld || databaseIsAway(error) || members.length === 1) for (const { reject } of members) reject(error);
      else await runApart(members);
    }
  }

  async function runTogether(members: Members, lockMs: number, as: Work): Promise<void> {
    const items = members.map(({ item }) => item);
    const results = await members[0]?.waited(() => workingOn({ ...as }, () => run(items, lockMs)));
    if (results?.length !== members.length)
      throw new Error(`A batch of ${members.length} has ${results?.length} results`);
    members.forEach(({ resolve }, n) => void resolve(results[n] as Result)); // as: it has as many
  }

  async function runApart(members: Members): Promise<void> {
    const held: Members = [];
    let away: unknown;
    const runAlone = async (member: Waiting<Item, Result>) => {
      if (away) return member.reject(away);
      await runTogether([member], LOCK_MS.alone, on).catch((error) => {
        if (waitedTooLong(error)) return held.push(member);
        if (databaseIsAway(error)) away = error;
        member.reject(error);
      });
    };
    await Promise.all(members.map((member) => alone.run(member.tenant ?? 'unknown', () => runAlone(member))));
    const tenants = [...Map.groupBy(held, ({ tenant }) => tenant)];
    await Promise.all(tenants.map(([tenant, those]) => runOrSplit(those, LOCK_MS.held, keptApart(tenant))));
  }

  function keptApart(tenant: string | undefined): Work {
    if (tenant === undefined) return OF_ALL;
    if (on === OF_ALL) apart.set(tenant, apart.get(tenant) ?? batch(run, { tenant }), { size: 1 });
    return { tenant };
  }

  return (item) => {
    const { tenant } = presentWork();
    const own = tenant === undefined ? undefined : apart.get(tenant);
    if (own) return own(item);
    return new Promise((resolve, reject) => {
      waiting.push({ item, tenant, waited: waitFromNow(), resolve, reject });
      if (!isBusy) queueMicrotask(next);
      isBusy = true;
    });
  };
}

/** As `batch`, for a function that takes a pool: items of the same pool and the same `kindOf` share a batch. */
export function batchPerPool<Item, Result>(
  run: (db: Db, ...batch: Parameters<Run<Item, Result>>) => Promise<Result[]>,
  kindOf: (item: Item) => string = () => '',
): (db: Db, item: Item) => Promise<Result> {
  const pools = new WeakMap<Db, Map<string, (item: Item) => Promise<Result>>>();
  return (db, item) => {
    const kind = kindOf(item);
    const kinds = pools.get(db) ?? new Map<string, (item: Item) => Promise<Result>>();
    const ofKind = kinds.get(kind) ?? batch<Item, Result>((...batch) => run(db, ...batch));
    pools.set(db, kinds.set(kind, ofKind));
    return ofKind(item);
  };
}

/** Items as JSON for a statement of one caller, each with its position `n`. */
export const numberedJson = (items: object[]): string => JSON.stringify(items.map((item, n) => ({ ...item, n })));

/** As `numberedJson`, for the statement of a batch: it waits at most `lockMs` for a lock (see `share_locks`). */
export const numbered = (items: object[], lockMs: number): FragmentSqlToken =>
  sql.fragment`share_locks(${numberedJson(items)}::jsonb, ${lockMs})`;

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
