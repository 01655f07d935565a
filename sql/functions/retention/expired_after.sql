-- The time in the key of an expire_… function; before all times at the beginning.
create or replace function expired_after(key text) returns timestamptz
language sql stable as $$
  select case when key = '' then '-infinity' else regexp_replace(key, ' [^ ]*$', '') end::timestamptz
$$;
