-- A new id: the prefix and 32 hexadecimal digits. They hold the time in milliseconds, so that new rows are stored together, and 78 random
-- bits.
create or replace function sortable_id(prefix text) returns text
language sql volatile as $$
  select prefix || '_'
    || lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 13)
$$;
