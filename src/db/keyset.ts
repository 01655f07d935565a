import { type FragmentSqlToken, sql } from 'slonik';

/** A stored list in the order of a time and, among equal times, of an id. */
type Keyset = {
  table: string;
  /** The alias of the table's rows in the statement that lists them. */
  alias: string;
  /** The column of the time; by default `created_at`. */
  time?: string;
  order: 'oldest first' | 'newest first';
};

/** The rows after the one whose id is `cursor`, or from the start; at most `limit`, or all. */
type PageQuery = { cursor: string | null; limit: number | null };

/** The end of a statement that lists one page: its last condition (put it after `where` or `and`), its order and its limit. */
export function keysetPage(keyset: Keyset, { cursor, limit }: PageQuery): FragmentSqlToken {
  const { table, alias, time = 'created_at', order } = keyset;
  const at = sql.identifier([alias, time]);
  const id = sql.identifier([alias, 'id']);
  const [after, direction] =
    order === 'oldest first' ? [sql.fragment`>`, sql.fragment`asc`] : [sql.fragment`<`, sql.fragment`desc`];
  return sql.fragment`
    (${cursor}::text is null or (${at}, ${id}) ${after} (
      select c.${sql.identifier([time])}, c.id
      from ${sql.identifier(table.split('.'))} c
      where c.id = ${cursor}
    ))
    order by ${at} ${direction}, ${id} ${direction}
    limit ${limit}`;
}
