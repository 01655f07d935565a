-- Removes a key that the exchange does not list. One that waited beside the live key signed nothing and is forgotten; for a live one the
-- enrollment is revoked. One that the exchange had rejected before stays marked, as if it had not been enrolled again.
create or replace function reject_key(of_key uuid) returns void
language plpgsql as $$
declare
  key record;
begin
  delete from signing_keys where id = of_key and waits;
  if found then
    return;
  end if;
  update signing_keys set rejected_at = now() where id = of_key and verified_at is null and retired_at is null and rejected_at is not null;
  if found then
    return;
  end if;
  select k.owner, k.ex_wallet into key
  from signing_keys k
  where k.id = of_key and k.verified_at is null and k.retired_at is null;
  if found then
    perform revoke_enrollment(key.owner, key.ex_wallet);
  end if;
end $$;
