-- Closes an event that an operator has looked at, unreadable or of a suspect payment: what it stopped goes on. Verdicts: done | unknown | not_open,
-- also of an event that nobody has to look at: another one is meant.
-- Locks the payment, then what settle_money locks.
create or replace function dismiss_event(event text, by_operator text, because text) returns text
language plpgsql as $$
declare
  e processor_events;
begin
  perform from payments p where p.id = (select o.payment_id from processor_events o where o.id = event) for no key update;
  select * into e from processor_events o where o.id = event for no key update;
  if e.id is null then
    return 'unknown';
  elsif not exists (
    select from ops.unreadable_events u where u.event_id = event
    union all
    select from ops.suspect_payments s where s.event_id = event
  ) then
    return 'not_open';
  end if;
  update processor_events set closed_at = now(), closed_by = by_operator, closed_why = because where id = event;
  if e.payment_id is not null then
    perform settle_money(e.payment_id);
  end if;
  perform record_action(by_operator, 'dismiss_event', event, e.payment_id, null, because, '{"verdict": "done"}');
  return 'done';
end $$;
