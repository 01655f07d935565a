import { type FragmentSqlToken, sql } from 'slonik';
import type { z } from 'zod';
import type { Db } from './pool.ts';

/** A table whose rows are polled: its key column, and the column from which the first interval counts. */
type Polled<Row> = {
  table: string;
  key: string;
  since: string;
  /** The condition on a row `t` to be polled at all. */
  open: FragmentSqlToken;
  /** The columns of a row `t` that `row` describes. */
  members: FragmentSqlToken;
  row: z.ZodType<Row>;
};

/** `everyS`: seconds between two polls of a row. `most`: rows taken at most. */
export type Pace = { everyS: number; most: number };

/**
 * Takes rows that were not polled for `everyS` seconds, longest first. Rows locked by another caller are skipped. A
 * taken row is due again `everyS` seconds later.
 */
export const takeDue = <Row extends object>(
  db: Db,
  { table, key, since, open, members, row }: Polled<Row>,
  { everyS, most }: Pace,
): Promise<readonly Row[]> =>
  db.any(sql.type(row)`
    update ${sql.identifier([table])} t
    set reconciled_at = now()
    where t.${sql.identifier([key])} in (
      select t.${sql.identifier([key])}
      from ${sql.identifier([table])} t
      where ${open}
        and coalesce(t.reconciled_at, t.${sql.identifier([since])}) < now() - make_interval(secs => ${everyS})
      order by t.reconciled_at nulls first
      limit ${most}
      for update skip locked
    )
    returning ${members}`);
