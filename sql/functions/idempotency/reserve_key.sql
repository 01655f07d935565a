-- Reserves a key for a request, or returns its state. Verdict: fresh | under_way | kept | key_reused. A reservation without a response
-- after `abandoned_s` seconds is free again. A key that is an intent's of the caller (`of_owner`) is reused, see has_stored_response. Locks the key.
create or replace function reserve_key(of_caller text, of_key text, request bytea, abandoned_s double precision, of_owner text default null)
returns table (verdict text, status integer, sealed bytea)
language plpgsql as $$
declare
  kept idempotent_responses;
begin
  insert into idempotent_responses as k (caller, key, digest)
  values (of_caller, of_key, request)
  on conflict (caller, key) do update set created_at = now()
  where k.status is null and k.digest = excluded.digest and k.created_at < now() - make_interval(secs => abandoned_s)
  returning * into kept;
  if found then
    if exists (select from idempotency_keys i where i.owner = of_owner and i.key = of_key) then
      delete from idempotent_responses k where k.caller = of_caller and k.key = of_key;
      return query select 'key_reused', null::integer, null::bytea;
      return;
    end if;
    return query select 'fresh', null::integer, null::bytea;
    return;
  end if;
  select * into kept from idempotent_responses k where k.caller = of_caller and k.key = of_key;
  return query select
    case when kept.digest <> request then 'key_reused' when kept.status is null then 'under_way' else 'kept' end,
    kept.status, kept.sealed;
end $$;
