-- Ends a pause and lets go on what waits for it; what another pause holds too waits again. Returns how many intents; null: there was no
-- pause. Records the operator. Locks the pause first: who found it has queued its job by then.
create or replace function end_pause(of_subject text, by_operator text, because text, noted jsonb default '{}') returns integer
language plpgsql as $$
declare
  queued integer;
begin
  delete from pauses p where p.subject = of_subject;
  if not found then
    return null;
  end if;
  queued := queue_paused(of_subject);
  perform record_action(by_operator, 'end_pause', of_subject, null, null, because, noted || jsonb_build_object('queued', queued));
  return queued;
end $$;
