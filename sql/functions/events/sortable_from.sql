-- The smallest id that `sortable_id` can create at a time; of a time before 1970 the smallest of all.
create or replace function sortable_from(prefix text, moment timestamptz) returns text
language sql immutable as $$
  select prefix || '_' || lpad(to_hex(greatest(0, floor(extract(epoch from moment) * 1000))::bigint), 12, '0')
$$;
