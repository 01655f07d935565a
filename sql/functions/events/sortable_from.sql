-- The smallest id that `sortable_id` can create at a time.
create or replace function sortable_from(prefix text, moment timestamptz) returns text
language sql immutable as $$
  select prefix || '_' || lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
$$;
