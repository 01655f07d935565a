-- Reopens a registration that ended as unpaid and turned out to be paid, and plans its next poll. While another registration of the same
-- address is open it stays failed, with its payment recorded. True if it was reopened.
create or replace function revive_registration(registration uuid, polls_before integer, hash text, noted text) returns boolean
language plpgsql as $$
begin
  perform note_payment(registration, hash, noted);
  update registrations
  set status = 'processing', problem = null, polls = polls_before + 1, updated_at = now()
  where id = registration and polls = polls_before;
  if not found then
    return false;
  end if;
  perform plan_registration_poll(registration, polls_before + 1, 0);
  return true;
exception when unique_violation then
  perform note_payment(registration, hash, noted);
  return false;
end $$;
