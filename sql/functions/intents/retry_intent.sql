-- Queues an intent again of which nothing was sent. It keeps its position at the head of its lane. `said` is the outcome it ends with if its deadline
-- passes before the next attempt; no attempt is planned after the deadline, nor that of an entry that exits of its lane wait for later than a second
-- from now. `never_left`: not a byte of it has left, so the upstream has not counted it either (return_pace). False: the claim is lost. Also changes
-- the registration of a purchase (follow_purchase). Locks the pace that it is taken off (lock_paces), then the intent, then the line's lock (see
-- claim_slot), shared, and its slot; finds the intent by its id only, see settle_intent.
create or replace function retry_intent(
  intent uuid, held_fence integer, delay_s double precision, said jsonb, never_left boolean default false
) returns boolean
language plpgsql as $$
declare
  put_back record;
  urgent boolean;
  was record;
begin
  perform lock_paces(array(select signals_pace(i.request ->> 'trader') from intents i where i.id = intent)) where never_left;
  select i.upstream, i.sending_at, i.request ->> 'trader' as trader into was
  from intents i
  where i.id = intent
  for no key update; -- the commit that begins to send may be under way on a connection that its worker has lost
  update intents
  set state = 'queued', sending_at = null, left_at = null, reached_at = null, responded_at = null, upstream = null, outcome = said
  where id = intent and fence = held_fence and settled_at is null and state not in ('queued', 'in_doubt')
  returning kind, is_exit, deadline_at, lane, position into put_back;
  if not found then
    return false;
  end if;
  urgent := not put_back.is_exit and is_urgent(put_back.lane, put_back.position);
  perform lower_proof(was.upstream) where was.upstream is not null; -- it was counted as there, and never was
  perform release_slot(intent, was.upstream);
  if never_left then
    perform return_pace(signals_pace(was.trader), was.sending_at);
  end if;
  if put_back.kind = 'registration/purchase' then
    perform follow_purchase(intent);
  end if;
  perform enqueue(array[
    slot_job(put_back.kind, intent, put_back.is_exit or urgent, least(
      now() + make_interval(secs => case when urgent then least(delay_s, 1) else delay_s end), put_back.deadline_at
    ))
  ]);
  return true;
end $$;
