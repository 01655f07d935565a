-- The exits that an exchange order with these terms wants of its position, as entries for want_exits: of the size that was filled, or until its fill
-- (`waits`). Empty if it carries none.
create or replace function exits_of_terms(terms jsonb, filled text, waits boolean) returns jsonb
language sql immutable as $$
  select case when coalesce(terms ->> 'take_profit', terms ->> 'stop_loss') is null then '[]' else jsonb_build_array(jsonb_build_object(
    'take_profit', terms -> 'take_profit',
    'stop_loss', terms -> 'stop_loss',
    'trailing_stop', null,
    'size', case when not waits then filled end
  ) || case when waits then '{"waits": true}'::jsonb else '{}' end) end
$$;
