import { ApiError } from '../../kernel/errors.ts';

/** The query of a history. Dates are ISO-8601; both bounds are inclusive. */
export type HistoryQuery = { from_date?: string; to_date?: string; pair?: string; limit?: number; cursor?: string };

/** A span of time in epoch milliseconds. `toMs` is null without an upper bound. */
export type Span = { fromMs: number; toMs: number | null };

/** An entry with its sort key: newest first, then by id. */
export type Dated<Entry> = { atMs: number; id: string; entry: Entry };

/**
 * The span of a query. Throws INVALID_REQUEST for dates that cannot be parsed, and if `from_date` is after `to_date`.
 */
export function spanOf({ from_date, to_date }: HistoryQuery): Span {
  const fromMs = from_date === undefined ? 0 : Date.parse(from_date);
  const toMs = to_date === undefined ? null : Date.parse(to_date);
  if (Number.isNaN(fromMs)) throw badQuery('from_date', 'must be a valid date');
  if (Number.isNaN(toMs)) throw badQuery('to_date', 'must be a valid date');
  if (toMs !== null && fromMs > toMs) throw badQuery('from_date', 'must not be after to_date');
  return { fromMs, toMs };
}

/** Whether a time is within a span. */
export const isWithin = ({ fromMs, toMs }: Span, atMs: number): boolean =>
  atMs >= fromMs && (toMs === null || atMs <= toMs);

/**
 * One page, newest first, with a `Link` header if there is a next page. A cursor denotes the last entry of the page
 * before it, so new entries do not shift pages.
 */
export function pageOf<Entry>(path: string, query: HistoryQuery, all: Dated<Entry>[]) {
  const sorted = [...all].sort(newestFirst);
  const after = query.cursor === undefined ? null : positionOf(query.cursor);
  const rest = after ? sorted.filter((entry) => newestFirst(after, entry) < 0) : sorted;
  const page = rest.slice(0, query.limit ?? MAX_ENTRIES);
  const last = page.at(-1);
  const more = last && rest.length > page.length;
  return {
    body: page.map(({ entry }) => entry),
    ...(more && { headers: { Link: `<${path}?${nextQuery(query, last)}>; rel="next"` } }),
  };
}

const MAX_ENTRIES = 200; // as in the contract

type Position = { atMs: number; id: string };

const newestFirst = (a: Position, b: Position): number => b.atMs - a.atMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

function nextQuery(query: HistoryQuery, { atMs, id }: Position): string {
  const cursor = Buffer.from(`${atMs}:${id}`).toString('base64url');
  const members = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined);
  return new URLSearchParams(members.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

function positionOf(cursor: string): Position {
  const [, atMs, id] = /^(\d{1,15}):(.{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (atMs === undefined || id === undefined) throw badQuery('cursor', 'must be the cursor of a Link header');
  return { atMs: Number(atMs), id };
}

const badQuery = (name: string, msg: string) =>
  new ApiError('INVALID_REQUEST', { fields: [{ loc: ['query', name], msg, type: 'value' }] });
