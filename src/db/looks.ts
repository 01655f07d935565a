import { type FragmentSqlToken, sql } from 'slonik';

/** Rows that are looked at now and then: how they are named, and from when on the first look counts its time. */
type Looked = { table: string; key: string; since: string };

/**
 * A fragment that selects the keys of rows due for a look, those waiting longest first, at most so many, each for one taker at a
 * time. `open` says of a row `t` whether it is looked at at all; whoever takes the rows sets their `looked_at`.
 */
export const dueForLook = (
  { table, key, since }: Looked,
  open: FragmentSqlToken,
  { everyS, most }: { everyS: number; most: number },
): FragmentSqlToken => sql.fragment`
      select t.${sql.identifier([key])}
      from ${sql.identifier([table])} t
      where ${open}
        and coalesce(t.looked_at, t.${sql.identifier([since])}) < now() - make_interval(secs => ${everyS})
      order by t.looked_at nulls first
      limit ${most}
      for update skip locked`;
