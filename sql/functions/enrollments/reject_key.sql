-- Removes a key that the exchange does not list. One that waited beside the live key signed nothing and is forgotten; for a live one the
-- enrollment is revoked. One that the exchange had rejected before stays marked, as if it had not been enrolled again. Locks the enrollment
-- before it reads the key: one that was confirmed meanwhile, by a later reading, stays.
create or replace function reject_key(of_key uuid) returns void
language plpgsql as $$
declare
  key record;
begin
  perform lock_enrollment_of(of_key);
  select k.id, k.owner, k.ex_wallet, k.waits, k.rejected_at into key
  from signing_keys k
  where k.id = of_key and k.verified_at is null and k.retired_at is null;
  if not found then
    return;
  end if;
  if key.waits then
    delete from signing_keys where id = key.id;
  elsif key.rejected_at is not null then
    update signing_keys set rejected_at = now() where id = key.id;
  else
    perform revoke_enrollment(key.owner, key.ex_wallet);
  end if;
end $$;
