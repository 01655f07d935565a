type Shown = { path: string; cursor: 'cursor' | 'after'; limit: number };
type Page<Row> = { status: 200; body: Row[]; headers?: { Link: string } };

/** A page of what was found, one row more than `limit` having been asked for: that row tells whether to name a next page. */
export function pageOf<Row extends { id: string }>(found: readonly Row[], { path, cursor, limit }: Shown): Page<Row> {
  const body = found.slice(0, limit);
  const last = body.at(-1);
  if (found.length <= limit || !last) return { status: 200, body };
  const next = new URLSearchParams({ limit: String(limit), [cursor]: last.id });
  return { status: 200, body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}
