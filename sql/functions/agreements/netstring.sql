-- A value as its length in bytes, a colon, its bytes in UTF-8, and a comma. A null value as a tilde and a comma.
create or replace function netstring(value text) returns text
language sql immutable as $$
  select coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '~') || ','
$$;
