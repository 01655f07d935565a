-- Revokes an enrollment and wipes all keys it ever had. False if there is none.
create or replace function revoke_enrollment(of_owner text, wallet text) returns boolean
language plpgsql as $$
begin
  delete from enrollments where owner = of_owner and ex_wallet = wallet;
  if not found then
    return false;
  end if;
  update signing_keys
  set sealed = null, retired_at = coalesce(retired_at, now())
  where owner = of_owner and ex_wallet = wallet;
  return true;
end $$;
