import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
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

/** The parts that statements about a polled table share: its name, its key, whether a row `t` is due, and the order of turns. */
function partsOf<Row>({ table, key, since, owner, open }: Polled<Row>, { everyS, most }: Pace) {
  const [rows, id] = [sql.identifier([table]), sql.identifier([key])];
  const polledAt = sql.fragment`coalesce(t.reconciled_at, t.${sql.identifier([since])})`;
  const isDue = sql.fragment`${open} and ${polledAt} < now() - make_interval(secs => ${everyS})`;
  const inTurn = sql.fragment`
    from (
      select t.${id}, row_number() over (partition by ${owner} order by ${polledAt}) as nth
      from ${rows} t
      where ${isDue}
    ) l
    join ${rows} t on t.${id} = l.${id}
    where ${isDue}
    order by l.nth, ${polledAt}
    limit ${most}`;
  return { rows, id, isDue, inTurn };
}

/**
 * Takes rows that were not polled for `everyS` seconds. Owners take turns; within an owner, the rows that have waited longest come first. Rows locked
 * by another caller are skipped. A taken row is due again `everyS` seconds later.
 */
export function takeDue<Row extends object>(db: Db, polled: Polled<Row>, pace: Pace): Promise<readonly Row[]> {
  const { rows, id, inTurn } = partsOf(polled, pace);
  return db.any(sql.type(polled.row)`
    update ${rows} t
    set reconciled_at = now()
    where t.${id} in (select t.${id} ${inTurn} for update of t skip locked)
    returning ${polled.members}`);
}

const RUN_MS = 10_000; // per kind of row: a job that runs for more than 2 min counts as lost and is started a second time

/**
 * Works on the due rows one by one, in the order of `takeDue`, for at most 10 s; rows without a turn stay due. A row that throws does not hold up the
 * others; the first error is thrown at the end. Rows locked by another caller are skipped.
 */
export async function eachDue<Row extends object>(
  db: Db,
  polled: Polled<Row>,
  pace: Pace,
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const until = performance.now() + RUN_MS;
  const { rows, id, isDue, inTurn } = partsOf(polled, pace);
  const keys = await db.anyFirst(sql.type(z.object({ key: z.string() }))`select t.${id}::text as key ${inTurn}`);
  await eachInTurn(keys, async (key) => {
    if (performance.now() > until) return;
    const taken = await db.any(sql.type(polled.row)`
      update ${rows} t
      set reconciled_at = now()
      where t.${id} in (select t.${id} from ${rows} t where t.${id} = ${key} and ${isDue} for update skip locked)
      returning ${polled.members}`);
    for (const row of taken) await work(row);
  });
}

/** Works on rows one after another. A row that throws does not hold up the others; the first error is thrown at the end. */
export async function eachInTurn<Row>(rows: readonly Row[], work: (row: Row) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const row of rows) await work(row).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
