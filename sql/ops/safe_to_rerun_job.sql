create or replace function ops.safe_to_rerun_job(job bigint) returns table (verdict text, is_safe boolean, would_do text, reason text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select j.verdict, j.verdict in ('queued_again', 'finished'),
    case j.verdict
      when 'queued_again' then 'a worker runs it again, with all of its attempts'
      when 'finished' then 'nothing, but it is deleted'
      else 'nothing'
    end,
    j.reason
  from ops.assess_job_rerun(job) j
  where j.verdict is not null
$$;
comment on function ops.safe_to_rerun_job(bigint) is
  'What a re-run of a dead job without an intent would do, and whether it is safe. Verdicts: queued_again, finished (nothing to do: it is deleted), '
  'at_work (it has not failed), would_act_twice (it is for an intent, or of an unknown task). Changes nothing. No row: there is no such job.';
