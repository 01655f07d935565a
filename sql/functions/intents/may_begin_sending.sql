-- Whether an intent may be sent, by all but its fence: one that is claimed, or, if this `claims` it, one that no earlier claim sent. One that a
-- restored database may have lost (lost_orders) is looked for first: claim_intent claims it.
create or replace function may_begin_sending(held intents, claims boolean) returns boolean
language plpgsql stable as $$
begin
  if held.settled_at is not null or held.sending_at is not null or held.deadline_at <= now() then
    return false;
  end if;
  if not claims then
    return held.state not in ('queued', 'in_doubt');
  end if;
  return held.state <> 'in_doubt' and held.presumed_sent_at is null and not exists (select from lost_orders l where l.id = held.id);
end $$;
