import { ApiError } from './errors.ts';

type Shown = { path: string; cursor: 'cursor' | 'after'; limit: number };
type Page<Row> = { status: 200; body: Row[]; headers?: { Link: string } };

/**
 * A page of `found`. The caller queried one row more than `limit`; if that row exists, the `Link` header names the next
 * page.
 */
export function pageOf<Row extends { id: string }>(found: readonly Row[], { path, cursor, limit }: Shown): Page<Row> {
  const body = found.slice(0, limit);
  const last = body.at(-1);
  if (found.length <= limit || !last) return { status: 200, body };
  const next = new URLSearchParams({ limit: String(limit), [cursor]: last.id });
  return { status: 200, body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}

type ItemsPage<Row> = {
  status: 200;
  body: { items: Row[]; next_cursor: string | null };
  headers?: { Link: string };
};

/**
 * A page with its rows under `items`. The caller queried one row more than `limit`; if that row exists, there is a next
 * page. `asked`: the filters that the link to the next page repeats. `cursorOf` returns the cursor of a row.
 */
export function itemsOf<Row>(
  found: readonly Row[],
  shown: { path: string; limit: number; asked?: Record<string, string | undefined>; cursorOf: (row: Row) => string },
): ItemsPage<Row> {
  const { path, limit, asked = {}, cursorOf } = shown;
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length <= limit || last === undefined) return { status: 200, body: { items, next_cursor: null } };
  const cursor = cursorOf(last);
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...asked, limit: String(limit), cursor }))
    if (value !== undefined) next.set(name, value);
  return { status: 200, body: { items, next_cursor: cursor }, headers: { Link: `<${path}?${next}>; rel="next"` } };
}

/** The rows of a page to read: those after `cursor`, or from the start; at most `limit`. */
export type PageRequest = { cursor: string | null; limit: number };

const DEFAULT_LIMIT = 100;

/**
 * Reads one page of a list. `read` is asked for one row more than the page holds; if that row exists, the `Link` header
 * names the next page.
 */
export async function listPage<Row>(
  { cursor = null, limit = DEFAULT_LIMIT }: { cursor?: string | null; limit?: number },
  { path, cursorOf }: { path: string; cursorOf(row: Row): string },
  read: (page: PageRequest) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await read({ cursor, limit: limit + 1 });
  const body = found.slice(0, limit);
  const last = body.at(-1);
  if (found.length <= limit || last === undefined) return { status: 200, body };
  const next = new URLSearchParams({ limit: String(limit), cursor: cursorOf(last) });
  return { status: 200, body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}

/** Throws INVALID_REQUEST for a cursor that names no row of the list. */
export async function requireCursor(
  cursor: string | undefined,
  isKnown: (cursor: string) => Promise<boolean>,
): Promise<void> {
  if (cursor === undefined || (await isKnown(cursor))) return;
  throw new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['query', 'cursor'], msg: 'names no entry of this list', type: 'cursor' }],
  });
}
