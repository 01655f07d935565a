import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

const healthRow = z.custom<components['schemas']['QueueHealth']>();

/** The queue, open intents, lanes, undelivered deliveries and workers in one snapshot. Ages in seconds. */
export const readQueueHealth = (db: Db): Promise<z.infer<typeof healthRow>> =>
  db.one(sql.type(healthRow)`
    select
      (
        select coalesce(jsonb_agg(to_jsonb(q) order by q.task), '[]')
        from ops.queue_ages q
      ) as tasks,
      (
        select coalesce(jsonb_agg(to_jsonb(a) order by a.state, a.kind), '[]')
        from ops.intent_ages a
      ) as intents,
      (
        select coalesce(jsonb_agg(to_jsonb(w) order by w.reason, w.is_exit), '[]')
        from ops.wait_counts w
      ) as waits,
      jsonb_build_object('stuck', (select count(*) from ops.stuck_lanes)) as lanes,
      (
        select coalesce(jsonb_agg(to_jsonb(d) order by d.state), '[]')
        from ops.delivery_ages d
      ) as deliveries,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'worker_id', w.worker_id, 'seen_s_ago', w.seen_s_ago, 'has_lock', w.has_lock) order by w.worker_id), '[]')
        from ops.workers w
      ) as workers,
      (select count(*) from ops.paid_without_account) as unfulfilled_payments,
      (select count(*) from ops.failed_accounts) as failed_accounts,
      (select count(*) from ops.stranded_payouts) as stranded_payouts,
      (select count(*) from (select from ops.undecided_intents limit 1000) u) as undecided_intents,
      (select count(*) from ops.unrecorded_registrations) as unrecorded_registrations,
      (select count(*) from ops.restore_evidence) as lost_orders`);
