-- Deletes dead jobs that have nothing left to do: their intent, mail or event has ended since, by a newer job or an operator. Nobody could end their
-- alert otherwise, since nothing of them can be run again. Returns how many.
create or replace function drop_finished_jobs() returns integer
language sql as $$
  select count(*)::integer
  from graphile_worker.complete_jobs(array(
    select j.job_id
    from ops.jobs j
    where j.is_dead
      and case
        when j.intent_id is null then (select a.verdict from ops.assess_job_rerun(j.job_id) a) = 'finished'
        else not exists (select from intents i where i.id = j.intent_id and i.settled_at is null)
      end
  ))
$$;
