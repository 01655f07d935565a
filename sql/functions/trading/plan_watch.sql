-- Plans the next poll of an account, if one is needed. There is one planned poll per account. One at once replaces it; one with a delay, by a poll
-- that has ended, leaves what was planned while that read: something had changed by then.
create or replace function plan_watch(account text, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', account),
    run_at => now() + make_interval(secs => delay_s), job_key => 'trading/watch:' || account, max_attempts => 5,
    job_key_mode => case when delay_s > 0 then 'preserve_run_at' else 'replace' end),
    announce_outbound()
  where is_watched(account)
$$;
