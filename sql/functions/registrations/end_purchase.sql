-- Ends a purchase and plans the first poll of its registration, if any, in one transaction.
create or replace function end_purchase(intent uuid, held_fence integer, ending text, said jsonb, poll_s double precision) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, ending, said);
  if poll_s is not null then
    perform plan_registration_poll(intent, 0, poll_s);
  end if;
end $$;
