import { isDeepStrictEqual } from 'node:util';
import type { ResponseCache } from '../../../kernel/shared-upstream.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import type { CallLimits } from './action-types.ts';
import { namedOnce, type Rows } from './fields.ts';
import type { QueryInfo } from './info.ts';

/**
 * Reads a list that changes seldom. A list of the last day serves while a newer one is read. With `newerThanMs` the list is at
 * most that old.
 */
export type SharedRead<T> = (limits?: CallLimits, newerThanMs?: number) => Promise<ReadResult<T>>;

/** The sources of shared reads: the venue, and earlier reads of any process. */
export type Sources = { query: QueryInfo; responses: ResponseCache };

/** How a list is read. `numberOf`: the name of a row, and the number that follows from its place in the list. */
type List<Row> = {
  body: Body;
  freshMs: number;
  read: (json: unknown) => Rows<Row> | null;
  numberOf: (row: Row) => readonly [name: string, number: number];
};

type Body = { type: string; dex?: string };
/** `readAt`: by `performance.now()`, which is not affected if the clock is set back. */
type CachedResult<T> = { data: T; readAt: number };

/** These reads are rare and everything else needs them, so they come first. */
const PRIORITY = 'exit';
/** An older list may be of another deployment of the venue (testnets start anew). */
const STALE_MS = 24 * 60 * 60_000;
/** The pause between failed reads while a list of the last day is used: each attempt costs weight that exits need. */
const RETRY_AFTER_MS = 30_000;

/**
 * Makes a read that all processes share: from memory, then as any process has last read it, then from the venue. A list older than `freshMs` is read
 * again in the background, by one read at a time in each process. After a failed read an earlier list of the last day is used for a while; a list
 * with unread rows counts as failed while a complete one of the last day exists, and one that gives a known row another number, or leaves it out,
 * until the next read says the same. The kernel's cache does not fit: it knows neither what other
 * processes read nor a maximum age per call.
 */
export const sharedRead = <Row>(
  { query, responses }: Sources,
  { body, freshMs, read: readRows, numberOf }: List<Row>,
): SharedRead<Rows<Row>> => {
  type T = Rows<Row>;
  /** With a row that is there twice, the numbers of those behind it would be those of others. */
  const read = (json: unknown): T | null => {
    const data = readRows(json);
    return data && namedOnce(data.rows, (row) => numberOf(row)[0]) && data;
  };
  const name = [body.type, body.dex].filter(Boolean).join(' ');
  let known: CachedResult<T> | null = null;
  let failed: { result: ReadResult<T>; atMs: number } | null = null;
  let doubted: { data: T; atMs: number } | null = null;
  let underWay: Promise<ReadResult<T>> | null = null;

  const isNew = (maxAgeMs: number): boolean => known !== null && performance.now() - known.readAt <= maxAgeMs;
  const isOutdone = (data: T): boolean => data.unread.length > 0 && known?.data.unread.length === 0 && isNew(STALE_MS);
  const contradicts = ({ rows, unread }: T): boolean => {
    if (!known || !isNew(STALE_MS)) return false;
    const numbers = new Map(rows.map(numberOf));
    return known.data.rows.map(numberOf).some(([name, number]) => {
      return numbers.has(name) ? numbers.get(name) !== number : unread.length === 0;
    });
  };
  const isDoubtful = (data: T): boolean => {
    if (!contradicts(data)) doubted = null;
    else if (!doubted || !isDeepStrictEqual(doubted.data, data)) doubted = { data, atMs: performance.now() };
    return doubted !== null && performance.now() - doubted.atMs < RETRY_AFTER_MS;
  };
  const remember = (data: T, ageMs: number) => {
    if (!isNew(ageMs) && !isOutdone(data)) known = { data, readAt: performance.now() - ageMs };
  };
  const recall = async (): Promise<void> => {
    const kept = await responses.find(name).catch(() => null);
    const data = kept && read(kept.body);
    const isDated = kept && kept.ageMs >= 0; // else the clock was set back since, and its age is not known
    if (isDated && data !== null && kept.ageMs <= STALE_MS && !contradicts(data)) remember(data, kept.ageMs);
  };
  const ask = async (timeoutMs: number | undefined): Promise<ReadResult<T>> => {
    const response = await query({ body }, { priority: PRIORITY, ...(timeoutMs && { timeoutMs }) }, (json) => {
      const data = read(json);
      if (data === null) return null;
      return isDoubtful(data) ? unreadable('the list contradicts an earlier one') : found({ json, data });
    });
    const result = response.kind === 'found' ? found(response.data.data) : response;
    failed = { result, atMs: performance.now() };
    if (response.kind !== 'found' || isOutdone(response.data.data)) return result;
    failed = null;
    remember(response.data.data, 0);
    void responses.keep(name, response.data.json).catch(() => {}); // then other processes read it themselves
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
