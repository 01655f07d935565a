import { LRUCache } from 'lru-cache';
import { within } from './within.ts';

/** What a read of an upstream returned. All but `unreadable` may be cached. */
type Reading = { kind: string };

const MAX_KEYS = 2_000; // per reader; beyond it, the least recently used key is evicted

/**
 * The options of a cache of at most so many entries, each of which is set with the size 1. The `max` of lru-cache reserves when the cache is made
 * what all its entries would need: for the caches of one process six megabytes, and a twentieth of the time of its start.
 */
export const mostEntries = (count: number) => ({ maxSize: count });

/**
 * Makes a reader with a cache per key. At most one read per key is in progress; its result is returned for `freshMs`
 * after it arrived. A failed read, `unreadable` or thrown, is returned to all callers that waited for it and is never
 * cached. `limits` are those of the caller that begins the read.
 */
export function cachedRead<Result extends Reading, Key extends string, Limits = void>(
  freshMs: number,
  read: (key: Key, limits: Limits) => Promise<Result>,
) {
  const inProgress = new Set<{ key: Key }>();
  const cache = new LRUCache<Key, Result, unknown>({
    ...mostEntries(MAX_KEYS),
    sizeCalculation: () => 1,
    ttl: freshMs,
    ttlAutopurge: true,
    ignoreFetchAbort: true, // a read whose key is evicted meanwhile still serves its waiting callers
    fetchMethod: (key, _stale, { context }) => {
      const begun = { key };
      inProgress.add(begun);
      return read(key, context as Limits) // as: every fetch below passes them
        .then(readableOnly)
        .finally(() => inProgress.delete(begun));
    },
  });
  const cached = (key: Key, limits: Limits): Promise<Result> =>
    cache.forceFetch(key, { context: limits }).catch(failedResult<Result>);
  const keysOf = (isMeant: (key: Key) => boolean) =>
    [...cache.keys(), ...[...inProgress].map(({ key }) => key)].filter(isMeant);
  return Object.assign(cached, {
    /** Whether a result of the key is cached, or a read of it in progress. */
    has: (key: Key): boolean => cache.has(key) || [...inProgress].some((begun) => begun.key === key),
    /** The next read of the key, or of every key, begins after this call. */
    forget(key: Key | null): void {
      if (key === null) cache.clear();
      else cache.delete(key);
    },
    /** The next read of every key that begins with `start` begins after this call. */
    forgetFrom(start: string): void {
      for (const key of keysOf((each) => each.startsWith(start))) cache.delete(key);
    },
  });
}

/**
 * A cached read of data that writes of this service change. `caughtUp` resolves to whether everything is forgotten that
 * writes have changed until now; only then a cached result, or one of a read in progress, is returned. A failure of a
 * read in progress is returned in any case.
 */
export function currentRead<Result extends Reading, Key extends string>(
  cached: ReturnType<typeof cachedRead<Result, Key>>,
  caughtUp: () => Promise<boolean>,
) {
  const current = async (key: Key): Promise<Result> => {
    if (!cached.has(key)) return cached(key);
    const [result, isCaughtUp] = await Promise.all([cached(key), caughtUp()]);
    if (result.kind === 'unreadable') return result;
    if (!isCaughtUp) cached.forget(key);
    return cached(key);
  };
  return Object.assign(current, { forget: cached.forget, forgetFrom: cached.forgetFrom });
}

/**
 * As `cachedRead`, for one value that seldom changes. A result older than `freshMs` is returned at once while a new one
 * is read in the background. A result older than `staleMs` is never returned.
 */
export function cachedStaleRead<Result extends Reading>(freshMs: number, staleMs: number, read: () => Promise<Result>) {
  const cache = new LRUCache<'only', Result>({
    max: 1,
    ttl: freshMs,
    noDeleteOnFetchRejection: true, // the next caller reads again
    fetchMethod: () => read().then(readableOnly),
  });
  return (): Promise<Result> => {
    const allowStale = cache.getRemainingTTL('only') >= freshMs - staleMs;
    return cache.forceFetch('only', { allowStale }).catch(failedResult<Result>);
  };
}

/**
 * Makes a cached version of a probe that may hang. At most one probe is in progress; its result is returned for
 * `freshMs`. If the probe takes longer than `timeoutMs`, the result is null for `freshMs`. `probe` must handle its own
 * errors and never reject.
 */
export function cachedProbe<Result>(
  probe: () => Promise<Result>,
  { freshMs, timeoutMs }: { freshMs: number; timeoutMs: number },
): () => Promise<Result | null> {
  let underWay: Promise<Result> | undefined;
  const cache = new LRUCache<'only', { result: Result | null }>({
    max: 1,
    ttl: freshMs,
    fetchMethod: async () => {
      underWay ??= probe().finally(() => {
        underWay = undefined;
      });
      return { result: await within(underWay, timeoutMs) };
    },
  });
  return async () => (await cache.forceFetch('only')).result;
}

/** Carries an unreadable result past the cache. The cache stores every result that is not thrown. */
class Unreadable extends Error {
  readonly result: Reading;
  constructor(result: Reading) {
    super(result.kind);
    this.result = result;
  }
}

function readableOnly<Result extends Reading>(result: Result): Result {
  if (result.kind === 'unreadable') throw new Unreadable(result);
  return result;
}

function failedResult<Result extends Reading>(error: unknown): Result {
  if (error instanceof Unreadable) return error.result as Result; // as: the same reader threw it
  throw error;
}
