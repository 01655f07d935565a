-- Whether an owner's name of an order is the id of an earlier intent of the owner: then it names that one, and no other order.
create or replace function is_order_id(of_owner text, its_name uuid) returns boolean
language sql stable as $$
  select exists (select from intents i where i.id = its_name and i.owner = of_owner)
$$;
