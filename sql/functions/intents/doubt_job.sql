-- The only job of an intent in doubt: its next look-up. It has a key, so that whoever has news of the intent finds it among all jobs of the queue.
create or replace function doubt_job(kind text, intent uuid, is_exit boolean, run_at timestamptz) returns graphile_worker.job_spec
language sql stable as $$
  select row(kind, json_build_object('intent_id', intent), null, run_at, null, 'doubt ' || intent,
    priority_of(is_exit), null)::graphile_worker.job_spec
$$;
