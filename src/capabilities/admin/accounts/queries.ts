import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { WithIds } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const failedRow = z.custom<WithIds<components['schemas']['FailedAccount']>>();

/** Failed accounts of every app that are not abandoned, newest first, after `cursor`. */
export const listFailed = (db: Db, { cursor, limit }: PageRequest): Promise<readonly z.infer<typeof failedRow>[]> =>
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
