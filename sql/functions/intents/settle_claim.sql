-- settle_intent for a statement that writes more: if the claim is lost it raises TP001, and so undoes all that the statement writes. What calls it is
-- called through `settleBy` (src/intents/settle.ts) alone, whose statements end in emit_ended.
create or replace function settle_claim(intent uuid, held_fence integer, ending text, said jsonb, responded_s double precision default null)
returns void
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, ending, said, responded_s) then
    raise exception 'claim % of intent % is lost', held_fence, intent using errcode = 'TP001';
  end if;
end $$;
