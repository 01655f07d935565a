-- Locks the payment, then what settle_money locks.
create or replace function ops.dismiss_event(event text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  e processor_events;
  verdict text := 'done';
begin
  perform ops.require_who_and_why(who, why);
  perform from payments p where p.id = (select o.payment_id from processor_events o where o.id = event) for no key update;
  select * into e from processor_events o where o.id = event for no key update;
  if e.id is null then
    verdict := 'unknown';
  elsif not exists (
    select from ops.unreadable_events u where u.event_id = event
    union all
    select from ops.suspect_payments s where s.event_id = event
  ) then
    verdict := 'not_open'; -- also of an event that nobody has to look at: another one is meant
  else
    update processor_events set closed_at = now(), closed_by = session_user, closed_why = who || ': ' || why where id = event;
    if e.payment_id is not null then
      perform settle_money(e.payment_id);
    end if;
  end if;
  perform record_action(session_user, 'dismiss_event', event, case verdict when 'done' then e.payment_id end, null, why,
    ops.given_name(who) || jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.dismiss_event(text, text, text) is
  'Closes an unreadable event of the processor, or one of a suspect payment, after you have looked at its object there: what it stopped goes on. '
  'Verdicts: done, unknown, not_open. Recorded in ops.actions.';
