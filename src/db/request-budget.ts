import { sql } from 'slonik';
import { z } from 'zod';
import type { Bucket, BudgetLedger } from '../kernel/shared-upstream.ts';
import { numberedJson } from './batch.ts';
import type { Db } from './pool.ts';

const nothing = z.object({});
const spending = z.object({ spent: z.array(z.number()), wait_ms: z.number() });

/**
 * A token bucket that all processes spend from. It never grants more than its capacity and its refill, however many they
 * are, and it keeps no share for an idle one.
 */
export const requestBudget = (
  db: Db,
  name: string,
  { burst, perSecond, allowance = Number.MAX_SAFE_INTEGER }: Bucket,
): BudgetLedger => ({
  async spend(asked) {
    const { spent, wait_ms } = await db.one(sql.prepared('spend_shares', spending)`
      select spent, wait_ms
      from spend_shares(${name}, ${burst}, ${perSecond}, ${allowance}, ${numberedJson(asked)}::jsonb)`);
    return { spent, waitMs: wait_ms };
  },
  async charge(weight) {
    await db.query(sql.prepared('charge_budget', nothing)`select charge_budget(${name}, ${burst}, ${weight})`);
  },
  async halt(ms) {
    await db.query(sql.prepared('halt_budget', nothing)`select halt_budget(${name}, ${ms})`);
  },
  isHalted: () =>
    db.exists(sql.prepared('is_halted', nothing)`
      select from request_budgets where name = ${name} and counted_at > clock_timestamp()`),
});
