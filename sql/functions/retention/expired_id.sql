-- The id in the key of an expire_… function; before all ids at the beginning.
create or replace function expired_id(key text) returns uuid
language sql immutable as $$
  select case when key = '' then '00000000-0000-0000-0000-000000000000' else substring(key from '[^ ]*$') end::uuid
$$;
