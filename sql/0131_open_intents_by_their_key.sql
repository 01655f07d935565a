-- One intent is found by its id, however many are open. A condition that implies an index of open ones (`state in …`) would let a plan
-- made while nothing was open read all of that index for each; `settled_at is null` says the same of a row, and implies none.

create or replace function claim_intent(intent uuid) returns setof intents
language plpgsql as $$
declare
  held intents;
begin
  update intents
  set state = 'running', fence = fence + 1, tries = tries + 1
  where id = intent and settled_at is null and state <> 'in_doubt'
  returning * into held;
  if not found then
    return;
  end if;
  if held.sending_at is null and held.deadline_at <= now() then
    perform settle_intent(intent, held.fence, 'expired', coalesce(held.outcome, jsonb_build_object(
      'problem', jsonb_build_object('code', 'DEADLINE_PASSED'))));
    return;
  end if;
  return next held;
end $$;

create or replace function begin_sending(intent uuid, held_fence integer, what jsonb) returns boolean
language plpgsql as $$
begin
  update intents
  set sending_at = now(), sent = what
  where id = intent and fence = held_fence and settled_at is null and state not in ('queued', 'in_doubt')
    and sending_at is null and deadline_at > now();
  return found;
end $$;

create or replace function settle_intent(intent uuid, held_fence integer, ending text, said jsonb) returns boolean
language plpgsql as $$
declare
  left_lane text;
begin
  update intents
  set state = ending, outcome = said, settled_at = now()
  where id = intent and fence = held_fence and settled_at is null
  returning lane into left_lane;
  if not found then
    return false;
  end if;
  perform leave_lane(left_lane, intent);
  perform pg_notify('settled', intent::text);
  return true;
end $$;

create or replace function retry_intent(intent uuid, held_fence integer, delay_s double precision, said jsonb) returns boolean
language plpgsql as $$
declare
  put_back record;
begin
  update intents
  set state = 'queued', sending_at = null, outcome = said
  where id = intent and fence = held_fence and settled_at is null and state not in ('queued', 'in_doubt')
  returning kind, deadline_at into put_back;
  if not found then
    return false;
  end if;
  perform graphile_worker.add_jobs(array[
    job_for(put_back.kind, intent, least(now() + make_interval(secs => delay_s), put_back.deadline_at))]);
  return true;
end $$;

create or replace function doubt_intent(intent uuid, held_fence integer, delay_s double precision) returns boolean
language plpgsql as $$
declare
  doubted record;
begin
  update intents
  set state = 'in_doubt', looks = looks + 1, outcome = null
  where id = intent and fence = held_fence and settled_at is null and state <> 'queued' and sending_at is not null
  returning kind, lane into doubted;
  if not found then
    return false;
  end if;
  perform leave_lane(doubted.lane, intent);
  perform graphile_worker.add_jobs(array[
    job_for(regexp_replace(doubted.kind, '[^/]+$', 'reconcile'), intent, now() + make_interval(secs => delay_s))]);
  return true;
end $$;
