-- Whether an item was accepted before, under its id or a key that is spent.
create or replace function was_accepted(item jsonb) returns boolean
language sql stable as $$
  select exists (select from intents i where i.id = (item ->> 'id')::uuid)
    or item ->> 'given_id' is not null and is_order_id(item ->> 'owner', (item ->> 'given_id')::uuid)
    or exists (
      select
      from idempotency_keys k
      join intents i on i.id = k.intent_id and spends_key(i)
      where k.owner = item ->> 'owner' and k.key = item ->> 'idempotency_key'
    )
$$;
