-- A new id: the prefix and 32 hexadecimal digits. They hold the time in milliseconds, so that new rows are stored together, and 78 random
-- bits.
create or replace function sortable_id(prefix text, moment timestamptz default clock_timestamp()) returns text
language sql volatile as $$
  select sortable_from(prefix, moment) || substr(replace(gen_random_uuid()::text, '-', ''), 13)
$$;
