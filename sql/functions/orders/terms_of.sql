-- The present terms of an order: those of its row, or those that its intent was asked for, as long as no edit has changed them.
create or replace function terms_of(order_id uuid, changed jsonb) returns jsonb
language sql stable as $$
  select coalesce(changed, (select i.request -> 'terms' from intents i where i.id = order_id))
$$;
