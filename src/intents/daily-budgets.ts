import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Budget, budgetOf, type DailyBudgetName } from '../kernel/throttles.ts';
import type { NewIntent } from './accept.ts';

const stateRow = z.object({
  is_repeat: z.boolean(),
  daily_limits: z.partialRecord(z.custom<DailyBudgetName>(), z.number()),
});

type Spending = {
  context: Pick<NewIntent, 'owner' | 'idempotency_key'>;
  throttle: (...budgets: Budget[]) => Promise<void>;
  deps: { db: Db };
};

/**
 * Counts a request that makes something scarce against the daily budgets of its caller, with the numbers that an
 * operator has set for the tenant. A repeat under the Idempotency-Key of an earlier request makes nothing and counts
 * nothing, so its answer never says that nothing was done. `spent`: for each budget the subject whose attempts are
 * counted together. Throws V2_THROTTLED or RATE_LIMITED beyond a budget; nothing is written then.
 */
export async function spendDaily(
  { deps, context, throttle }: Spending,
  spent: Partial<Record<DailyBudgetName, string>>,
): Promise<void> {
  const { owner, idempotency_key: key = null } = context;
  const { is_repeat, daily_limits } = await deps.db.one(sql.prepared('daily_limits', stateRow)`
    select
      exists (select from idempotency_keys i where i.owner = ${owner} and i.key = ${key}) as is_repeat,
      coalesce(
        (select a.daily_limits from apps a where a.id = ${owner}),
        (select p.daily_limits from partners p where p.id = ${owner}), '{}') as daily_limits`);
  if (is_repeat) return;
  const names = Object.keys(spent) as DailyBudgetName[]; // as: the parameter has no other members
  await throttle(...names.map((name) => ({ ...budgetOf(name, owner, spent[name] ?? ''), size: daily_limits[name] })));
}
