-- One job of the queue, as enqueue takes it. Jobs of exits are taken before all others.
create or replace function job_for(kind text, intent uuid, is_exit boolean, run_at timestamptz) returns graphile_worker.job_spec
language sql stable as $$
  select row(kind, json_build_object('intent_id', intent), null, run_at, null, null, priority_of(is_exit), null)::graphile_worker.job_spec
$$;
