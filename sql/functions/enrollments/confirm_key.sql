-- Records that the exchange confirmed a key, and when it ends. A key that waited for it becomes the live one, and the live one is retired; one that
-- the exchange had rejected signs again. Locks the enrollment before it reads the key, which another transaction may have confirmed meanwhile.
create or replace function confirm_key(of_key uuid, until timestamptz default null) returns void
language plpgsql as $$
declare
  key record;
begin
  perform lock_enrollment_of(of_key);
  select k.id, k.owner, k.ex_wallet, k.waits, k.rejected_at into key
  from signing_keys k
  where k.id = of_key and k.verified_at is null and k.retired_at is null;
  if key.waits then
    update signing_keys
    set retired_at = now()
    where owner = key.owner and ex_wallet = key.ex_wallet and retired_at is null and not waits;
  end if;
  update signing_keys set verified_at = now(), valid_until = until, waits = false, rejected_at = null where id = key.id;
  if key.waits or key.rejected_at is not null then
    update enrollments set updated_at = now() where owner = key.owner and ex_wallet = key.ex_wallet;
  end if;
end $$;
