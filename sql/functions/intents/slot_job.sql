-- The only job of an intent that waits for a slot, its pace, the end of a pause or its next attempt: what it waits for, or an exit behind it in its
-- lane, brings its time forward.
create or replace function slot_job(kind text, intent uuid, is_exit boolean, run_at timestamptz) returns graphile_worker.job_spec
language sql stable as $$
  select row(kind, json_build_object('intent_id', intent), null, run_at, null, 'slot ' || intent,
    priority_of(is_exit), null)::graphile_worker.job_spec
$$;
