import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const healthRow = z.object({
  tasks: z.array(
    z.object({
      task: z.string(),
      ready: z.number(),
      planned: z.number(),
      running: z.number(),
      dead: z.number(),
      oldest_ready_s: z.number().nullable(),
    }),
  ),
  intents: z.array(
    z.object({
      state: z.enum(['queued', 'running', 'in_doubt']),
      kind: z.string(),
      count: z.number(),
      oldest_s: z.number(),
    }),
  ),
  lanes: z.object({ stuck: z.number() }),
  deliveries: z.array(
    z.object({
      state: z.enum(['pending', 'sending', 'failed', 'cancelled']),
      count: z.number(),
      oldest_s: z.number(),
    }),
  ),
  workers: z.array(z.object({ worker_id: z.string(), seen_s_ago: z.number(), has_lock: z.boolean() })),
  unserved_payments: z.number(),
});

/** How the queue, open intents, lanes, undelivered deliveries and workers stand, in one moment. Ages in seconds. */
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
      (select count(*) from ops.paid_without_account) as unserved_payments`);
