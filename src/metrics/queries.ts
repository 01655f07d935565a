import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { Bucket } from '../kernel/shared-upstream.ts';

const figures = z.object({
  jobs: z.array(
    z.object({
      task: z.string(),
      ready: z.number(),
      planned: z.number(),
      failing: z.number(),
      running: z.number(),
      dead: z.number(),
      oldest_ready_s: z.number(),
    }),
  ),
  intents: z.array(z.object({ kind: z.string(), state: z.string(), count: z.number(), oldest_s: z.number() })),
  waits: z.array(z.object({ reason: z.string(), is_exit: z.boolean(), count: z.number(), oldest_s: z.number() })),
  deliveries: z.object({
    pending: z.number(),
    sending: z.number(),
    failed: z.number(),
    oldest_due_s: z.number(),
    oldest_s: z.number(),
  }),
  endpoints: z.array(z.object({ state: z.string(), count: z.number() })),
  workers: z.number(),
  unfulfilled: z.number(),
  pauses: z.array(z.object({ of: z.string(), oldest_s: z.number() })),
  crontab_s: z.number().nullable(),
  reads: z.array(z.object({ of: z.string(), due_s: z.number() })),
  unproven_s: z.number().nullable(),
  delayed_payouts: z.number(),
  unreadable_events: z.number(),
  unprotected: z.array(
    z.object({ venue: z.string(), count: z.number(), longest_s: z.number(), newest_at_s: z.number() }),
  ),
  attention: z.array(z.object({ what: z.string(), count: z.number() })),
  retention: z.array(z.object({ name: z.string(), behind_s: z.number() })),
  oldest_transaction_s: z.number(),
  notification_queue: z.number(),
  differing: z.number(),
  ledger_differences: z.number(),
  behind: z.number(),
  budget_used: z.number().nullable(),
});

/** Figures from the database. They are the same for every process. Ages are in seconds. */
export type DatabaseFigures = z.infer<typeof figures>;

const FAILING_ATTEMPTS = 5; // a job that has thrown so often has failed for more than a minute
const RUNS_WITHIN_S = 900; // retention runs every 5 minutes
const MOST_COUNTED = 100_000; // deliveries: one receiver that is away for days leaves millions

/** The request budget to report: its name, its capacity and its refill per second. */
export type ReportedBudget = Bucket & { name: string };

/**
 * Reads all figures in one statement, by indexes over open rows: settled intents and delivered deliveries cost nothing.
 * Of deliveries it counts 100,000 of a state at most; those of disabled owners wait on purpose and are left out. Intents that a pause holds have no age.
 * Tasks and kinds that are not in `tasks` are summed up as `other`. `budget_used`: from 0 to 1; null before the first call.
 */
export const readFigures = (
  db: Db,
  tasks: string[],
  { name, burst, perSecond }: ReportedBudget,
): Promise<DatabaseFigures> =>
  db.one(sql.type(figures)`
    with known as (
      select ${sql.array(tasks, 'text')} as tasks
    ), jobs as (
      select
        case when j.task = any(k.tasks) then j.task else 'other' end as task,
        count(*) filter (where j.is_available and j.run_at <= now()) as ready,
        count(*) filter (where j.is_available and j.run_at > now() and j.attempts < ${FAILING_ATTEMPTS}) as planned,
        count(*) filter (where j.is_available and j.run_at > now() and j.attempts >= ${FAILING_ATTEMPTS}) as failing,
        count(*) filter (where j.locked_at is not null) as running,
        count(*) filter (where j.locked_at is null and not j.is_available) as dead,
        coalesce(extract(epoch from now() - min(j.run_at) filter (where j.is_available and j.run_at <= now())), 0) as oldest_ready_s
      from queue_jobs j
      cross join known k
      group by 1
    ), open_intents as (
      select
        case when i.kind = any(k.tasks) then i.kind else 'other' end as kind,
        i.state,
        count(*) as count,
        coalesce(extract(epoch from now() - min(case when i.state = 'in_doubt' then coalesce(i.sending_at, i.created_at) else i.created_at end)
          filter (where i.state <> 'queued' or not exists (
            select
            from intent_kinds v
            join pauses p on p.subject in (v.upstream, i.owner)
            where v.kind = i.kind and (p.holds_exits or not (i.is_exit or v.is_exit))
          ))), 0) as oldest_s
      from intents i
      cross join known k
      where (i.phase = 'pending' or i.phase = 'in_doubt')
      group by 1, 2
    ), receiving as materialized (
      select e.id
      from webhook_endpoints e
      where not is_disabled(e.owner)
    ), waiting as (
      select count(*) as pending, coalesce(extract(epoch from now() - min(w.created_at)), 0) as oldest_s
      from (
        select d.created_at
        from receiving e
        cross join lateral (
          select p.created_at
          from webhook_deliveries p
          where p.endpoint_id = e.id and p.state = 'pending'
          order by p.due_at
          limit ${MOST_COUNTED}
        ) d
        limit ${MOST_COUNTED}
      ) w
    ), deliveries as (
      select
        w.pending,
        (select count(*) from webhook_deliveries d where d.state = 'sending') as sending,
        (
          select count(*)
          from (select from webhook_deliveries d where d.state = 'failed' order by d.ended_at limit ${MOST_COUNTED}) f
        ) as failed,
        (
          select coalesce(greatest(extract(epoch from now() - min(d.due_at)), 0), 0)
          from receiving e
          cross join lateral (
            select p.due_at
            from webhook_deliveries p
            where p.endpoint_id = e.id and p.state = 'pending'
            order by p.due_at
            limit 1
          ) d
        ) as oldest_due_s,
        w.oldest_s
      from waiting w
    ), endpoints as (
      select
        case
          when not e.active then 'deactivated_' || e.deactivated_because
          when is_disabled(e.owner) then 'owner_disabled'
          when e.failing_since is not null then 'failing'
          else 'active'
        end as state,
        count(*) as count
      from webhook_endpoints e
      group by 1
    ), unprotected as (
      select v.venue, count(w.venue) as count,
        coalesce(extract(epoch from now() - min(w.missing_since)), 0) as longest_s,
        coalesce(extract(epoch from max(w.told_at)), 0) as newest_at_s
      from (select distinct k.venue from intent_kinds k where k.venue is not null) v
      left join wanted_exits w on w.venue = v.venue and w.missing_since is not null and w.told_at is not null
      group by 1
    )
    select
      coalesce((select json_agg(j) from jobs j), '[]') as jobs,
      coalesce((select json_agg(i) from open_intents i), '[]') as intents,
      coalesce((select json_agg(w) from ops.wait_counts w), '[]') as waits,
      (select to_json(d) from deliveries d) as deliveries,
      coalesce((select json_agg(e) from endpoints e), '[]') as endpoints,
      (select count(*) from worker_processes w where w.seen_at > now() - interval '10 seconds') as workers,
      (select count(*) from ops.paid_without_account) as unfulfilled,
      coalesce((
        select json_agg(p)
        from (
          select
            case
              when exists (select from intent_kinds k where k.upstream = o.subject) then o.subject
              when exists (select from apps a where a.id = o.subject) then 'app'
              else 'partner'
            end as of,
            extract(epoch from now() - min(o.paused_at)) as oldest_s
          from pauses o
          group by 1
        ) p
      ), '[]') as pauses,
      (select extract(epoch from now() - max(r.ran_at))::double precision from retention_runs r) as crontab_s,
      (select extract(epoch from now() - p.read_until)::double precision from balance_proofs p) as unproven_s,
      (
        select json_agg(json_build_object('of', d.of, 'due_s', coalesce(greatest(extract(epoch from now() - d.at), 0), 0)))
        from (
          select 'exits' as of, min(w.due_at) as at from wanted_exits w where w.due_at is not null
          union all
          select 'wallets', min(c.due_at) from exchange_cursors c where c.due_at < 'infinity'
          union all
          select 'accounts', min(a.sync_after)
          from prop_accounts a
          where a.status in ('provisioning', 'evaluation', 'funded') and a.synthetic_hotkey is not null
        ) d
      ) as reads,
      (select count(*) from payouts p where p.delayed_since < now() - interval '5 minutes') as delayed_payouts,
      (select count(*) from processor_events e where e.outcome = 'unreadable' and e.closed_at is null) as unreadable_events,
      coalesce((select json_agg(u) from unprotected u), '[]') as unprotected,
      coalesce((select json_agg(a) from ops.attention a), '[]') as attention,
      coalesce((
        select json_agg(json_build_object(
          'name', r.name,
          'behind_s', r.behind_s + greatest(0, extract(epoch from now() - r.ran_at) - ${RUNS_WITHIN_S})
        ))
        from retention_runs r
      ), '[]') as retention,
      (select coalesce(max(t.age_s), 0) from ops.transactions t) as oldest_transaction_s,
      pg_notification_queue_usage() as notification_queue,
      (select count(distinct d.name) from ops.fleet_differences d) as differing,
      (select count(*) from balance_readings r where r.differs_since is not null)
        + (select count(*) from balance_differences) as ledger_differences,
      (select count(*) from ops.restore_evidence) as behind,
      budget_used(${name}, ${burst}, ${perSecond}) as budget_used`);
