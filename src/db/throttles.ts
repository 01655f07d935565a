import { sql } from 'slonik';
import { z } from 'zod';
import { type Budget, type BudgetState, limits } from '../kernel/throttles.ts';
import type { Db } from './pool.ts';

const budgetStateRow = z.object({
  name: z.string(),
  budget: z.number(),
  base_s: z.number(),
  remaining: z.number(),
  ends_in_s: z.number(),
});

const LARGEST_BUDGET = 1_000_000_000; // one more fits PostgreSQL's integer

/** Counts attempts. Exact under any concurrency and across processes: a budget of 10 admits exactly 10. */
export type Throttle = {
  /** Counts one attempt against every budget and resolves to their states after it. */
  spend(budgets: Budget[]): Promise<readonly BudgetState[]>;
  /** Deletes the attempts counted against these budgets, after a successful authentication. */
  forgive(budgets: Budget[]): Promise<void>;
};

/** Makes the counter of a process. `scale` multiplies every budget; it is 1 except in load tests. */
export const throttle = (db: Db, scale: number): Throttle => ({
  spend: (budgets) =>
    db.any(sql.prepared('spend', budgetStateRow)`
      select name, budget, base_s, remaining, ends_in_s
      from spend(${JSON.stringify(budgets.map((budget) => item(budget, scale)))}::jsonb)`),
  async forgive(budgets) {
    await db.query(sql.prepared('forgive', z.object({}))`
      delete from throttles t
      using jsonb_to_recordset(${JSON.stringify(budgets.map((budget) => item(budget, scale)))}::jsonb) as b (name text, subject text)
      where t.name = b.name and t.subject = decode(b.subject, 'hex')`);
  },
});

const item = ({ name, subject, size = limits[name].budget }: Budget, scale: number) => ({
  name,
  subject: subject.toString('hex'),
  budget: Math.min(Math.round(size * scale), LARGEST_BUDGET),
  base_s: limits[name].baseS,
  longest_s: limits[name].longestS,
});
