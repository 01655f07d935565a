-- Plans the next poll of an account, if one is needed. There is one planned poll per account; a later plan replaces it.
create or replace function plan_watch(account text, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', account),
    run_at => now() + make_interval(secs => delay_s), job_key => 'trading/watch:' || account, max_attempts => 5),
    announce_outbound()
  where is_watched(account)
$$;
