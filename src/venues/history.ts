import { listPage, type Page } from '../kernel/pages.ts';
import { badQuery, timeMs } from '../kernel/period.ts';

/** The query of a history. Dates are ISO-8601; both bounds are inclusive. */
export type HistoryQuery = { from_date?: string; to_date?: string; pair?: string; limit?: number; cursor?: string };

/** A span of time in epoch milliseconds, not before 1970, which the exchange rejects. `toMs` is null without an upper bound. */
export type Span = { fromMs: number; toMs: number | null };

/** Which entries of a history are wanted: those within a span, of one pair if given. */
export type HistoryFilter = { span: Span; pair: string | undefined };

/** An entry with its sort key: newest first, then by id. */
export type Dated<Entry> = { atMs: number; id: string; entry: Entry };

/** What a query asks for. Throws INVALID_REQUEST as `spanOf` does. */
export const filterOf = (query: HistoryQuery): HistoryFilter => ({ span: spanOf(query), pair: query.pair });

/** The span of a query. Throws INVALID_REQUEST if `from_date` is after `to_date`. */
export function spanOf({ from_date, to_date }: HistoryQuery): Span {
  const fromMs = from_date === undefined ? Number.NEGATIVE_INFINITY : timeMs(from_date);
  const toMs = to_date === undefined ? null : timeMs(to_date);
  if (toMs !== null && fromMs > toMs) throw badQuery('from_date', 'must not be after to_date');
  return { fromMs: Math.max(0, fromMs), toMs: toMs && Math.max(0, toMs) };
}

/** Whether a time is within a span. */
export const isWithin = ({ fromMs, toMs }: Span, atMs: number): boolean =>
  atMs >= fromMs && (toMs === null || atMs <= toMs);

/** One page, newest first. A cursor is the place of the last entry of the page before it: new entries do not shift pages, and an entry may move. */
export async function historyPage<Entry>(path: string, query: HistoryQuery, all: Dated<Entry>[]): Promise<Page<Entry>> {
  const cursorOf = ({ atMs, id }: Dated<Entry>) => `${atMs}:${id}`;
  const isKnown = async (cursor: string) => placeOf(cursor) !== null;
  const page = await listPage(query, { path, cursorOf, isKnown }, async ({ cursor, limit }) => {
    const last = cursor === null ? null : placeOf(cursor);
    const behind = last === null ? all : all.filter((entry) => newestFirst(last, entry) < 0);
    return [...behind].sort(newestFirst).slice(0, limit);
  });
  return { ...page, body: page.body.map(({ entry }) => entry) };
}

type Sorted = Pick<Dated<never>, 'atMs' | 'id'>;

function placeOf(cursor: string): Sorted | null {
  const [, atMs, id] = /^(\d{1,15}(?:\.\d+)?):(.+)$/s.exec(cursor) ?? [];
  return id === undefined ? null : { atMs: Number(atMs), id };
}

const newestFirst = (a: Sorted, b: Sorted): number => b.atMs - a.atMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
