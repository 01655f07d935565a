import { ApiError } from './errors.ts';
import { calendarMs } from './work.ts';

/** The query of a list. `cursor` is absent on the first page; other members are filters. */
type PageQuery = { limit?: number; cursor?: string };
/** The rows of a page to read: those after `cursor`, or from the start; at most `limit`. */
export type PageRequest = { cursor: string | null; limit: number };
/** A page. `Link` names the next one and repeats the query; it is absent on the last page. */
export type Page<Row> = { status: 200; body: Row[]; headers?: { Link: string } };

/** The size of a page without a `limit`, as in the contract; the same for every list. */
export const DEFAULT_LIMIT = 100;

/** `most`: where rows are large, how many a page holds at most, whatever the query asks for. */
type PageShape<Row> = { path: string; cursorOf(row: Row): string; most?: number };
type Stored<Row> = PageShape<Row> & { isKnown(cursor: string): Promise<boolean> };

/**
 * Reads one page of a stored list. `read` is asked for one row more than the page holds; if that row exists, there is a
 * next page. Throws INVALID_REQUEST for a cursor of which `isKnown` is false.
 */
export async function listPage<Row>(
  query: PageQuery,
  { isKnown, ...shown }: Stored<NoInfer<Row>>,
  read: (page: PageRequest) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const cursor = await knownCursor(query, isKnown);
  return pageOf(query, shown, await read({ cursor, limit: sizeOf(query, shown) + 1 }));
}

/** The cursor of a query, or null for none. Throws INVALID_REQUEST for one of which `isKnown` is false. */
export async function knownCursor({ cursor }: PageQuery, isKnown: Stored<never>['isKnown']): Promise<string | null> {
  if (cursor !== undefined && !(await isKnown(cursor))) throw unknownCursor();
  return cursor ?? null;
}

/** A position in a list that is ordered by a time (ISO 8601), then by an id. */
export type Place = { at: string; id: string };

/** The cursor of a position. It stays valid if its row moves or is deleted. */
export const cursorAt = ({ at, id }: Place): string => `${at} ${id}`;

/** The position of such a cursor; null for any other text. */
export function placeOf(cursor: string): Place | null {
  const [at = '', id = '', ...rest] = cursor.split(' ');
  const ms = calendarMs(Date.parse(at));
  return rest.length === 0 && ms !== null && new Date(ms).toISOString() === at ? { at, id } : null;
}

/** `placeAt`: the position of a row. `isKnown`: whether there ever was a row with this id; absent: any id may have been one. */
type Placed<Row> = { path: string; placeAt(row: Row): Place; isKnown?(id: string): Promise<boolean> };

/** `pageInOrder` of a list that is ordered by times. Throws INVALID_REQUEST for a cursor that is no position, or whose id is not known. */
export function pageBehind<Row>(
  query: PageQuery,
  { path, placeAt, isKnown = async () => true }: Placed<NoInfer<Row>>,
  rows: readonly Row[],
): Promise<Page<Row>> {
  const cursorOf = (row: Row) => cursorAt(placeAt(row));
  const isPlaced = async (cursor: string) => {
    const place = placeOf(cursor);
    return place !== null && isKnown(place.id);
  };
  return pageInOrder(query, { path, cursorOf, isKnown: isPlaced }, rows);
}

/**
 * One page of a list that is read as a whole and whose rows may come, go and move: the rows behind the cursor, in the order of their cursors. Throws
 * INVALID_REQUEST for a cursor of which `isKnown` is false.
 */
export const pageInOrder = <Row>(
  query: PageQuery,
  shown: Stored<NoInfer<Row>>,
  rows: readonly Row[],
): Promise<Page<Row>> =>
  listPage(query, shown, async ({ cursor, limit }) => {
    const placed = rows
      .map((row) => ({ row, place: shown.cursorOf(row) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const behind = cursor === null ? placed : placed.filter(({ place }) => place > cursor);
    return behind.slice(0, limit).map(({ row }) => row);
  });

/**
 * One page of a list that is read as a whole. `cursorOf` identifies a row. Throws INVALID_REQUEST for a cursor that
 * names no row of it.
 */
export function slicePage<Row>(
  query: PageQuery,
  { path, cursorOf }: PageShape<NoInfer<Row>>,
  rows: readonly Row[],
): Page<Row> {
  const cursors = new Map<Row, string>();
  const used = new Map<string, number>();
  for (const row of rows) {
    const name = cursorOf(row);
    const nth = (used.get(name) ?? 0) + 1;
    used.set(name, nth);
    cursors.set(row, Buffer.from(nth === 1 ? name : `${name} ${nth}`).toString('base64url'));
  }
  const last = query.cursor === undefined ? -1 : rows.findIndex((row) => cursors.get(row) === query.cursor);
  if (query.cursor !== undefined && last < 0) throw unknownCursor();
  return pageOf(query, { path, cursorOf: (row) => cursors.get(row) ?? '' }, rows.slice(last + 1));
}

const sizeOf = ({ limit = DEFAULT_LIMIT }: PageQuery, { most = limit }: { most?: number }) => Math.min(limit, most);

function pageOf<Row>(query: PageQuery, { path, cursorOf, ...shape }: PageShape<Row>, rows: readonly Row[]): Page<Row> {
  const { limit = DEFAULT_LIMIT } = query;
  const size = sizeOf(query, shape);
  const body = rows.slice(0, size);
  const last = body.at(-1);
  if (rows.length <= size || last === undefined) return { status: 200, body };
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, limit, cursor: cursorOf(last) }))
    if (value !== undefined) next.set(name, String(value));
  return { status: 200, body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}

const unknownCursor = () =>
  new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['query', 'cursor'], msg: 'names no entry of this list', type: 'cursor' }],
  });
