-- Sends nothing new to an upstream, or for a partner or app, until end_pause, and records the operator. An existing pause is replaced. False: there
-- is no such upstream, partner or app. What is being sent at this moment may still leave: at most 2 s, see src/intents/run.ts.
create or replace function pause_work(of_subject text, with_exits boolean, by_operator text, because text, noted jsonb default '{}') returns boolean
language plpgsql as $$
begin
  if not can_be_paused(of_subject) then
    return false;
  end if;
  insert into pauses (subject, holds_exits, reason, paused_by)
  values (of_subject, with_exits, because, by_operator)
  on conflict (subject) do update
  set holds_exits = excluded.holds_exits, reason = excluded.reason, paused_by = excluded.paused_by, paused_at = excluded.paused_at;
  perform queue_paused(of_subject); -- one that is replaced may have held more
  perform record_action(by_operator, 'pause', of_subject, null, null, because, noted || jsonb_build_object('holds_exits', with_exits));
  return true;
end $$;
