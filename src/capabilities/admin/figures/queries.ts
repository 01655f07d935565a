import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';

const seriesRow = z.object({
  figure: z.enum([
    'orders_per_second',
    'settle_p50_seconds',
    'settle_p99_seconds',
    'intents_in_doubt',
    'oldest_job_seconds',
    'deliveries',
    'failed_intents',
    'budget_used_ratio',
  ]),
  label: z.string(),
  values: z.array(z.number().nullable()),
});

/** A width of steps, and how many of them. */
export type Steps = { stepSeconds: number; count: number };

/** The figures of the last steps that are over, with the start of the first. Null is a step in which nothing was measured. */
export const readSeries = (db: Db, { stepSeconds, count }: Steps) =>
  db.one(sql.type(z.object({ starts_at: z.string(), series: z.array(seriesRow) }))`
    select
      date_bin(make_interval(secs => ${stepSeconds}), now(), 'epoch') - make_interval(secs => ${stepSeconds * count}) as starts_at,
      coalesce((select json_agg(f) from figures_of(${stepSeconds}, ${count}) f), '[]') as series`);
