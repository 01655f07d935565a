-- Ends a purchase and plans the first poll of its registration, if any, in one transaction. False: the claim is lost.
create or replace function end_purchase(intent uuid, held_fence integer, ending text, said jsonb, poll_s double precision) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, ending, said) then
    return false;
  end if;
  if poll_s is not null then
    perform plan_registration_poll(intent, 0, poll_s);
  end if;
  return true;
end $$;
