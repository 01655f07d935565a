import { sql } from 'slonik';
import { z } from 'zod';
import { type Budget, limits, type Standing } from '../kernel/throttles.ts';
import type { Db } from './pool.ts';

const standingRow = z.object({
  name: z.string(),
  budget: z.number(),
  base_s: z.number(),
  remaining: z.number(),
  ends_in_s: z.number(),
});

const LARGEST_BUDGET = 1_000_000_000; // one more fits PostgreSQL's integer

/** Counts tries. Exact under any concurrency and across processes: a budget of ten lets ten through. */
export type Throttle = {
  /** Counts one try against every budget, and answers how each stands afterwards. */
  spend(budgets: Budget[]): Promise<readonly Standing[]>;
  /** Forgets the tries of these: whoever tried has shown to be the right one. */
  forgive(budgets: Budget[]): Promise<void>;
};

/** Makes the process's counter of tries. `scale` multiplies every budget; 1 but for load tests. */
export const throttle = (db: Db, scale: number): Throttle => ({
  spend: (budgets) =>
    db.any(sql.prepared('spend', standingRow)`
      select name, budget, base_s, remaining, ends_in_s
      from spend(${JSON.stringify(budgets.map((budget) => item(budget, scale)))}::jsonb)`),
  async forgive(budgets) {
    await db.query(sql.prepared('forgive', z.object({}))`
      delete from throttles t
      using jsonb_to_recordset(${JSON.stringify(budgets.map((budget) => item(budget, scale)))}::jsonb) as b (name text, subject text)
      where t.name = b.name and t.subject = decode(b.subject, 'hex')`);
  },
});

const item = ({ name, subject }: Budget, scale: number) => ({
  name,
  subject: subject.toString('hex'),
  budget: Math.min(Math.round(limits[name].budget * scale), LARGEST_BUDGET),
  base_s: limits[name].baseS,
  longest_s: limits[name].longestS,
});
