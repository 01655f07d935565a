import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const failedRow = z.object({
  id: z.string(),
  app_id: z.string(),
  payment_id: z.string().nullable(),
  tier_id: z.string(),
  asset_class: z.string(),
  account_size: z.number(),
  status: z.literal('subaccount_failed'),
  subaccount_id: z.null(),
  subaccount_uuid: z.null(),
  synthetic_hotkey: z.null(),
  processor_payment_intent_id: z.string().nullable(),
  failure_reason: z.string().nullable(),
  created_at: z.string(),
  safe_action: z.string(),
});

/** Every app's accounts that could not be made and were not given up, newest first, from behind `cursor` on. */
export const listFailed = (
  db: Db,
  cursor: string | null,
  limit: number,
): Promise<readonly z.infer<typeof failedRow>[]> =>
  db.any(sql.type(failedRow)`
    select f.prop_account_id as id, f.app_id, f.payment_id, f.tier_id, f.asset_class, f.account_size::double precision,
      'subaccount_failed' as status, null as subaccount_id, null as subaccount_uuid, null as synthetic_hotkey,
      f.processor_payment_intent_id, f.failure_reason, f.created_at, f.safe_action
    from ops.failed_accounts f
    where ${cursor}::text is null or (f.created_at, f.prop_account_id) < (
      select a.created_at, a.id
      from prop_accounts a
      where a.id = ${cursor}
    )
    order by f.created_at desc, f.prop_account_id desc
    limit ${limit}`);
