-- Locks the enrollment of a key, if there is one. What is read of the key before is outdated: another transaction may have held the enrollment.
create or replace function lock_enrollment_of(of_key uuid) returns void
language plpgsql as $$
begin
  perform
  from enrollments e
  join signing_keys k on k.owner = e.owner and k.ex_wallet = e.ex_wallet
  where k.id = of_key
  for update of e;
end $$;
