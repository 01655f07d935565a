-- Whether an item was accepted before, under its id or its key.
create or replace function was_accepted(item jsonb) returns boolean
language sql stable as $$
  select exists (select from intents i where i.id = (item ->> 'id')::uuid)
    or exists (select from idempotency_keys k where k.owner = item ->> 'owner' and k.key = item ->> 'idempotency_key')
$$;
