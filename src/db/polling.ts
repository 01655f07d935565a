import { type FragmentSqlToken, sql } from 'slonik';
import type { z } from 'zod';
import type { Db } from './pool.ts';

/** A table whose rows are polled: its key column, and the column from which the first interval counts. */
type Polled<Row> = {
  table: string;
  key: string;
  since: string;
  /** Whose a row `t` is. */
  owner: FragmentSqlToken;
  /** The condition on a row `t` to be polled at all. */
  open: FragmentSqlToken;
  /** The columns of a row `t` that `row` describes. */
  members: FragmentSqlToken;
  row: z.ZodType<Row>;
};

/** `everyS`: seconds between two polls of a row. `most`: rows taken at most. */
export type Pace = { everyS: number; most: number };

/**
 * Takes rows that were not polled for `everyS` seconds. Owners take turns, so that none waits for all that another has; of an owner
 * the rows that have waited longest come first. Rows locked by another caller are skipped. A taken row is due again `everyS` seconds later.
 */
export function takeDue<Row extends object>(
  db: Db,
  { table, key, since, owner, open, members, row }: Polled<Row>,
  { everyS, most }: Pace,
): Promise<readonly Row[]> {
  const [rows, id] = [sql.identifier([table]), sql.identifier([key])];
  const polledAt = sql.fragment`coalesce(t.reconciled_at, t.${sql.identifier([since])})`;
  const isDue = sql.fragment`${polledAt} < now() - make_interval(secs => ${everyS})`;
  return db.any(sql.type(row)`
    update ${rows} t
    set reconciled_at = now()
    where t.${id} in (
      select t.${id}
      from (
        select t.${id}, row_number() over (partition by ${owner} order by ${polledAt}) as nth
        from ${rows} t
        where ${open} and ${isDue}
      ) l
      join ${rows} t on t.${id} = l.${id}
      where ${isDue}
      order by l.nth, ${polledAt}
      limit ${most}
      for update of t skip locked
    )
    returning ${members}`);
}

/** Works on rows one after another. One that throws keeps no other from its turn; the first error is thrown at the end. */
export async function eachInTurn<Row>(rows: readonly Row[], work: (row: Row) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const row of rows) await work(row).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
