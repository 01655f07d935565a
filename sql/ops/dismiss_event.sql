create or replace function ops.dismiss_event(event text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(event, who, 'dismiss_event', why, dismiss_event(event, session_user, who || ': ' || why))
$$;
comment on function ops.dismiss_event(text, text, text) is
  'Closes an event of ops.unreadable_events or ops.suspect_payments after you have read its object at the processor: what it stopped goes on. '
  'Verdicts: done, unknown, not_open. Recorded in ops.actions.';
