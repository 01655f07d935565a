-- Whether a registration was paid and the registrar never recorded it, and no operator has released its address.
create or replace function is_unrecorded(r registrations) returns boolean
language sql immutable as $$
  select r.status = 'failed' and r.tx_hash is not null and r.released_at is null
$$;
