-- Records that the effect of an intent is unknown, lets its lane continue, and plans the next reconciliation by the verb's own task. False:
-- the claim is lost, or nothing was sent. `why` is shown to operators. `answered`: the upstream took the request. `is_over`: it has responded,
-- `responded_s` ago if that is known, so the intent's slot is free. Locks the intent, then its lane, then its slot, then
-- the line's lock (see claim_slot), shared; finds the intent by its id only, see settle_intent.
create or replace function mark_in_doubt(
  intent uuid, held_fence integer, delay_s double precision, why text default null, answered boolean default false, is_over boolean default false,
  responded_s double precision default null
) returns boolean
language plpgsql as $$
declare
  marked record;
begin
  update intents
  set state = 'in_doubt', reconcile_attempts = reconcile_attempts + 1, outcome = null, unknown_because = coalesce(left(why, 200), unknown_because),
    answered_at = case when answered then now() else answered_at end,
    responded_at = case when is_over and reconcile_attempts = 0 then now() - make_interval(secs => responded_s) else responded_at end
  where id = intent and fence = held_fence and settled_at is null and state <> 'queued' and sending_at is not null
  returning kind, is_exit, lane, upstream, reconcile_attempts, responded_at into marked;
  if not found then
    return false;
  end if;
  perform leave_lane(marked.lane, intent);
  if is_over then
    perform release_slot(intent, marked.upstream, case when marked.reconcile_attempts = 1 then marked.responded_at end);
  elsif marked.upstream is not null and marked.reconcile_attempts = 1 then
    perform lower_proof(marked.upstream); -- it may stay there
  end if;
  perform enqueue(array[doubt_job(marked.kind, intent, marked.is_exit, now() + make_interval(secs => delay_s))]);
  return true;
end $$;
