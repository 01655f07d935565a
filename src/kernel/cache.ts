import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** What a read of an upstream returned. All but `unreadable` may be cached. */
type Reading = { kind: string };

const MAX_KEYS = 2_000; // per reader; beyond it, the least recently used key is evicted

/**
 * Makes a reader with a cache per key. At most one read per key is in progress; its result is returned for `freshMs`
 * after it arrived. A failed read, `unreadable` or thrown, is returned to all callers that waited for it and is never
 * cached.
 */
export function cachedRead<Result extends Reading>(freshMs: number, read: (key: string) => Promise<Result>) {
  const cache = new LRUCache<string, Result>({
    max: MAX_KEYS,
    ttl: freshMs,
    ttlAutopurge: true,
    ignoreFetchAbort: true, // a read whose key is evicted meanwhile still serves its waiting callers
    fetchMethod: (key) => read(key).then(readableOnly),
  });
  const cached = (key: string): Promise<Result> => cache.forceFetch(key).catch(failedResult<Result>);
  /** The next read of the key, or of every key, begins after this call. */
  const forget = (key: string | null): void => {
    if (key === null) cache.clear();
    else cache.delete(key);
  };
  return Object.assign(cached, { forget });
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

async function within<Result>(underWay: Promise<Result>, timeoutMs: number): Promise<Result | null> {
  const done = new AbortController();
  const late = wait(timeoutMs, null, { signal: done.signal }).catch(() => null);
  return Promise.race([underWay, late]).finally(() => done.abort());
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
