-- The id of an order that its owner named itself, as `orderIdOf` in src/kernel/ids.ts computes it. The same name of two owners is two ids.
create or replace function order_id_of(of_owner text, its_name uuid) returns uuid
language sql immutable as $$
  select overlay(overlay(left(encode(sha256(convert_to(format('order %s %s', of_owner, its_name), 'UTF8')), 'hex'), 32)
    placing '8' from 13) placing '8' from 17)::uuid
$$;
