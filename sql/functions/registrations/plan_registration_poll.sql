-- Plans one poll of a registration. `polls` is the number of polls before it. A poll that runs after another one with the same number (its
-- worker died or was slow) finds a higher count and does nothing.
create or replace function plan_registration_poll(registration uuid, polls integer, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job(
    'registration/poll', json_build_object('registration_id', registration, 'polls', polls),
    run_at => now() + make_interval(secs => delay_s))
$$;
