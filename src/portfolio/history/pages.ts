import { Refusal } from '../../kernel/refusals.ts';

/** What a history is asked for; moments are ISO-8601, both bounds inclusive. */
export type HistoryQuery = { from_date?: string; to_date?: string; pair?: string; limit?: number; cursor?: string };

/** The same in milliseconds; `toMs` is null where it was left open. */
export type Span = { fromMs: number; toMs: number | null };

/** One entry with its place in time: newest first, those of one moment by id. */
export type Dated<Entry> = { atMs: number; id: string; entry: Entry };

/** The span a query names. Refuses bounds that leave nothing between them, and moments that are none. */
export function spanOf({ from_date, to_date }: HistoryQuery): Span {
  const fromMs = from_date === undefined ? 0 : Date.parse(from_date);
  const toMs = to_date === undefined ? null : Date.parse(to_date);
  if (Number.isNaN(fromMs)) throw badQuery('from_date', 'names no moment');
  if (Number.isNaN(toMs)) throw badQuery('to_date', 'names no moment');
  if (toMs !== null && fromMs > toMs) throw badQuery('from_date', 'lies after to_date');
  return { fromMs, toMs };
}

/** Whether a moment lies in a span. */
export const isWithin = ({ fromMs, toMs }: Span, atMs: number): boolean =>
  atMs >= fromMs && (toMs === null || atMs <= toMs);

/**
 * One page, newest first, and the headers that name the next. A cursor names the last entry of the page before, so what is added
 * meanwhile moves nothing.
 */
export function pageOf<Entry>(path: string, query: HistoryQuery, all: Dated<Entry>[]) {
  const sorted = [...all].sort(newestFirst);
  const after = query.cursor === undefined ? null : placeOf(query.cursor);
  const rest = after ? sorted.filter((entry) => newestFirst(after, entry) < 0) : sorted;
  const page = rest.slice(0, query.limit ?? MOST);
  const last = page.at(-1);
  const more = last && rest.length > page.length;
  return {
    body: page.map(({ entry }) => entry),
    ...(more && { headers: { Link: `<${path}?${nextQuery(query, last)}>; rel="next"` } }),
  };
}

const MOST = 200; // as the contract says

type Place = { atMs: number; id: string };

const newestFirst = (a: Place, b: Place): number => b.atMs - a.atMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

function nextQuery(query: HistoryQuery, { atMs, id }: Place): string {
  const cursor = Buffer.from(`${atMs}:${id}`).toString('base64url');
  const members = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined);
  return new URLSearchParams(members.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

function placeOf(cursor: string): Place {
  const [, atMs, id] = /^(\d{1,15}):(.{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (atMs === undefined || id === undefined) throw badQuery('cursor', 'is not from the Link of a page');
  return { atMs: Number(atMs), id };
}

const badQuery = (name: string, msg: string) =>
  new Refusal('INVALID_REQUEST', { fields: [{ loc: ['query', name], msg, type: 'value' }] });
