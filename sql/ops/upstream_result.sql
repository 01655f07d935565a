-- Internal to the kit: the upstream's result so far, from the stored outcome. Results themselves are not shown: some allow acting as a user.
create or replace function ops.upstream_result(i intents) returns text
language sql immutable as $$
  select case
    when i.state = 'succeeded' then 'yes'
    when is_undecided(i.outcome) then 'nothing that decides it: ' || p.code
    when p.code = 'NOT_CARRIED_OUT' then 'it has no record of it'
    when i.state = 'failed' and i.sending_at is not null then 'no: ' || concat_ws(', ', p.code, p.reason)
    when i.state = 'in_doubt' then format('nothing readable yet, after %s reconcile attempts', i.reconcile_attempts)
    when i.state in ('queued', 'running') and i.sending_at is null and p.code is not null then 'not sent; last attempt: ' || p.code
  end
  from (select i.outcome -> 'problem' ->> 'code' as code, i.outcome -> 'problem' ->> 'reason' as reason) p
$$;
comment on function ops.upstream_result is 'Internal to the kit.';
