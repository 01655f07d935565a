import type { ResponseCache } from '../../../kernel/shared-upstream.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import type { CallLimits } from './action-types.ts';
import type { Rows } from './fields.ts';
import type { QueryInfo } from './info.ts';

/**
 * Reads a list that changes seldom. A list of the last day serves while a newer one is read. With `newerThanMs` the list is at
 * most that old.
 */
export type SharedRead<T> = (limits?: CallLimits, newerThanMs?: number) => Promise<ReadResult<T>>;

/** The sources of shared reads: the venue, and earlier reads of any process. */
export type Sources = { query: QueryInfo; responses: ResponseCache };

type Body = { type: string; dex?: string };
/** `readAt`: by `performance.now()`, which does not go back with the time. */
type CachedResult<T> = { data: T; readAt: number };

/** These reads are rare and everything else needs them, so they come first. */
const PRIORITY = 'exit';
/** An older list may be of another deployment of the venue (testnets start anew). */
const STALE_MS = 24 * 60 * 60_000;
/** How long a list of the last day serves after a failed read before it is read again: each attempt costs weight that exits need. */
const RETRY_AFTER_MS = 30_000;

/**
 * Makes a read that all processes share: from memory, then as any process has last read it, then from the venue. A list
 * older than `freshMs` is read again in the background. At most one read of a process is in progress. A failed one is not repeated for a while where
 * an earlier list serves, nor within `newerThanMs`; one with unread rows counts as failed while a whole one of the last day serves. No cache of the
 * kernel does this: what other processes read counts, with its age, and a call may name the greatest age.
 */
export const sharedRead = <T extends Rows<unknown>>(
  { query, responses }: Sources,
  { body, freshMs, read }: { body: Body; freshMs: number; read: (json: unknown) => T | null },
): SharedRead<T> => {
  const name = [body.type, body.dex].filter(Boolean).join(' ');
  let known: CachedResult<T> | null = null;
  let failed: { result: ReadResult<T>; atMs: number } | null = null;
  let underWay: Promise<ReadResult<T>> | null = null;

  const isNew = (maxAgeMs: number): boolean => known !== null && performance.now() - known.readAt <= maxAgeMs;
  const isOutdone = (data: T): boolean => data.unread.length > 0 && known?.data.unread.length === 0 && isNew(STALE_MS);
  const remember = (data: T, ageMs: number) => {
    if (!isNew(ageMs) && !isOutdone(data)) known = { data, readAt: performance.now() - ageMs };
  };
  const recall = async (): Promise<void> => {
    const kept = await responses.find(name).catch(() => null);
    const data = kept && read(kept.body);
    const isDated = kept && kept.ageMs >= 0; // else the time was set back since, and it may be as old as that
    if (isDated && data !== null && kept.ageMs <= STALE_MS) remember(data, kept.ageMs);
  };
  const ask = async (timeoutMs: number | undefined): Promise<ReadResult<T>> => {
    const response = await query({ body }, { priority: PRIORITY, ...(timeoutMs && { timeoutMs }) }, (json) => {
      const data = read(json);
      return data === null ? null : found({ json, data });
    });
    const result = response.kind === 'found' ? found(response.data.data) : response;
    failed = { result, atMs: performance.now() };
    if (response.kind !== 'found' || isOutdone(response.data.data)) return result;
    failed = null;
    remember(response.data.data, 0);
    void responses.keep(name, response.data.json).catch(() => {}); // the next process reads it for itself
    return result;
  };
  const asking = (timeoutMs: number | undefined): Promise<ReadResult<T>> => {
    underWay ??= ask(timeoutMs).finally(() => {
      underWay = null;
    });
    return underWay;
  };

  return async (limits, newerThanMs) => {
    const serves = () => (known && newerThanMs === undefined && isNew(STALE_MS) ? found(known.data) : null);
    if (!isNew(newerThanMs ?? freshMs)) {
      const pauseMs = newerThanMs ?? (serves() ? RETRY_AFTER_MS : 0);
      if (failed && performance.now() - failed.atMs < pauseMs) return serves() ?? failed.result;
      await recall();
    }
    if (known && isNew(newerThanMs ?? freshMs)) return found(known.data);
    const asked = asking(limits?.timeoutMs);
    return serves() ?? asked;
  };
};
