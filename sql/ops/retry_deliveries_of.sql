create or replace function ops.retry_deliveries_of(endpoint text, who text, why text, since timestamptz default now() - interval '7 days')
returns table (verdict text, queued integer)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  if since is null then
    raise exception 'say since when: null fits nothing' using errcode = 'invalid_parameter_value';
  end if;
  select r.verdict, r.queued into verdict, queued
  from webhook_endpoints e
  cross join lateral recover_endpoint(e.owner, e.id, since, 10000, 50, 60) r
  where e.id = endpoint;
  verdict := coalesce(verdict, 'unknown');
  queued := coalesce(queued, 0);
  perform ops.note(who, 'retry_deliveries', endpoint, why, jsonb_build_object('verdict', verdict, 'queued', queued, 'since', since));
  return next;
end $$;
comment on function ops.retry_deliveries_of(text, text, text, timestamptz) is
  'Sends again everything an endpoint missed since a time: the oldest 10,000, 50 per second, at most once a minute (too_soon), so that a receiver '
  'that has just recovered is not overloaded. Recorded in ops.actions.';
