create function ops.retry_delivery(delivery text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  verdict text;
begin
  perform ops.want_who_and_why(who, why);
  verdict := coalesce((select redeliver(d.app, d.id) from webhook_deliveries d where d.id = delivery), 'unknown');
  perform ops.note(who, 'retry_delivery', delivery, why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.retry_delivery(text, text, text) is
  'Sends one delivery once more under its id, from the start of the plan: queued, unknown, or inactive (its endpoint is). Kept in ops.actions.';

create function ops.retry_deliveries_of(endpoint text, who text, why text, since timestamptz default now() - interval '7 days')
returns table (verdict text, queued integer)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.want_who_and_why(who, why);
  select r.verdict, r.queued into verdict, queued
  from webhook_endpoints e
  cross join lateral recover_endpoint(e.app, e.id, since, 10000, 50, 60) r
  where e.id = endpoint;
  verdict := coalesce(verdict, 'unknown');
  queued := coalesce(queued, 0);
  perform ops.note(who, 'retry_deliveries', endpoint, why, jsonb_build_object('verdict', verdict, 'queued', queued, 'since', since));
  return next;
end $$;
comment on function ops.retry_deliveries_of(text, text, text, timestamptz) is
  'Sends everything an endpoint missed since then once more: the oldest 10,000, 50 a second, once a minute at most (too_soon), so that a receiver just back is not knocked over. Kept in ops.actions.';
