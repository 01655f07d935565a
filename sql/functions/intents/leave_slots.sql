-- Frees the slots of intents that have ended (release_slot). What was in doubt may have a request of its own in progress there, whatever its records
-- show of it: its slot is freed by the response, by the upstream's record of that request, or by its job when the hold is over. A step of emit_ended,
-- the last of all: whoever joins the line meanwhile waits for the commit, and must not wait for what keeps a tenant from it. So what the triggers
-- emit at the end of the transaction is emitted before. Locks the slots, then their lines (see claim_slot), shared.
create or replace function leave_slots(ended uuid[]) returns void
language plpgsql as $$
declare
  leaver record;
begin
  for leaver in
    select i.*
    from string_to_table(array_to_string(ended, ','), ',') as e (id)
    cross join lateral (
      select w.id, w.kind, w.is_exit, w.upstream, w.reconcile_attempts, w.responded_at
      from intents w
      where w.id = e.id::uuid
      limit 1
    ) i
    where i.upstream is not null
    order by i.upstream, i.id
  loop
    if venue_of(leaver.kind) is null then
      set constraints all immediate;
    end if;
    if leaver.reconcile_attempts > 0 then
      perform enqueue(array[slot_job(leaver.kind, leaver.id, leaver.is_exit, h.held_until)])
      from upstream_slots h
      where h.upstream = leaver.upstream and h.intent_id = leaver.id;
    else
      perform release_slot(leaver.id, leaver.upstream, leaver.responded_at);
    end if;
  end loop;
end $$;
