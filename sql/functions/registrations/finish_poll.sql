-- Counts a poll of a registration and plans the next one, if `next_s` says when. `seen`: status, message and estimated_time that the
-- registrar reported, or null if it reported nothing; a final registration does not change any more. False, and nothing is written: another
-- poll with the same number was counted before.
create or replace function finish_poll(registration uuid, polls_before integer, seen jsonb, next_s double precision) returns boolean
language plpgsql as $$
begin
  update registrations r
  set polls = polls_before + 1, status = coalesce(seen ->> 'status', r.status),
    message = case when seen is null then r.message else seen ->> 'message' end,
    estimated_time = case when seen is null then r.estimated_time else seen ->> 'estimated_time' end,
    updated_at = case when seen is null then r.updated_at else now() end
  where r.id = registration and r.polls = polls_before and (seen is null or r.status in ('pending', 'processing'));
  if not found then
    return false;
  end if;
  if next_s is not null then
    perform plan_registration_poll(registration, polls_before + 1, next_s);
  end if;
  return true;
end $$;
