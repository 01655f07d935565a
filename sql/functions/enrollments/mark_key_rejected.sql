-- Records that the exchange rejected an agent in an action: its key signs nothing more until it is enrolled again. The first time the
-- enrollment is touched, which emits its event. The wallet's own key is not marked: it is rejected while the wallet has no deposit. Locks the
-- enrollment, then the key, as those do who enroll it.
create or replace function mark_key_rejected(of_key uuid) returns void
language sql as $$
  select lock_enrollment_of(of_key);

  with marked as (
    update signing_keys k
    set rejected_at = now(), verified_at = null
    where k.id = of_key and k.signer <> k.ex_wallet and k.retired_at is null and k.rejected_at is null
    returning k.owner, k.ex_wallet
  )
  update enrollments e
  set updated_at = now()
  from marked m
  where e.owner = m.owner and e.ex_wallet = m.ex_wallet
$$;
