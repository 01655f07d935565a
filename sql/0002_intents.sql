-- The spine: verbs that touch the outside world, each a row that settles.
create table intents (
  id uuid primary key,
  kind text not null,
  owner text not null,
  lane text,
  state text not null default 'queued' constraint intents_state_known
    check (state in ('queued', 'running', 'in_doubt', 'succeeded', 'failed', 'expired')),
  asked jsonb not null,
  sent jsonb,
  outcome jsonb,
  digest bytea not null,
  request_id text,
  fence integer not null default 0,
  tries integer not null default 0,
  looks integer not null default 0,
  position bigint generated always as identity,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  sending_at timestamptz,
  settled_at timestamptz,
  constraint intents_settled_has_outcome
    check ((state in ('succeeded', 'failed', 'expired')) = (settled_at is not null and outcome is not null))
);
create index intents_waiting on intents (lane, position) where state = 'queued';
create index intents_open on intents (created_at) where state in ('queued', 'running', 'in_doubt');
create index intents_by_owner on intents (owner, created_at);

comment on table intents is 'One row per effect to bring about at an outside party; the id is the effect key everywhere.';
comment on column intents.kind is 'The task that carries it out, for example orders/place.';
comment on column intents.owner is 'The partner or app that asked.';
comment on column intents.fence is 'Raised by every claim; a write with an older fence changes nothing.';
comment on column intents.sending_at is 'Set and committed before the first byte may leave; cleared only on proof that none did.';
comment on column intents.sent is 'What exactly goes out, resolved and committed with sending_at; the look-up goes by it.';
comment on column intents.digest is 'SHA-256 of the request, to tell a repeat from a reuse of its id.';

-- What may not overtake: at most one intent of a lane is at work, the head; only the head has a job.
create table lanes (
  name text primary key,
  head uuid
);

create table idempotency_keys (
  owner text not null,
  key text not null,
  digest bytea not null,
  intent_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (owner, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- One job of the queue, as graphile_worker.add_jobs wants it.
create function job_for(kind text, intent uuid, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row(kind, json_build_object('intent_id', intent), null, run_at, null, null, null, null)::graphile_worker.job_spec
$$;

-- Accepts a batch in one transaction, each item with its own verdict:
-- accepted | replayed (the same request under the same id or key) | key_reused | id_taken.
-- Item: n, id, kind, owner, lane?, asked, digest (hex), deadline_s, request_id?, idempotency_key?
create function accept_intents(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  item record;
  earlier record;
  at_head boolean;
  jobs graphile_worker.job_spec[] := '{}';
begin
  for item in
    select i.*, decode(i.digest, 'hex') as request_digest
    from jsonb_to_recordset(batch) as i (
      n integer, id uuid, kind text, owner text, lane text, asked jsonb, digest text,
      deadline_s double precision, request_id text, idempotency_key text
    )
    order by i.lane nulls first, i.n
  loop
    n := item.n;
    intent_id := item.id;
    verdict := 'accepted';

    if item.idempotency_key is not null then
      insert into idempotency_keys (owner, key, digest, intent_id)
      values (item.owner, item.idempotency_key, item.request_digest, item.id)
      on conflict do nothing;
      if not found then
        select k.digest, k.intent_id into earlier
        from idempotency_keys k
        where k.owner = item.owner and k.key = item.idempotency_key;
        intent_id := earlier.intent_id;
        verdict := case when earlier.digest = item.request_digest then 'replayed' else 'key_reused' end;
        return next;
        continue;
      end if;
    end if;

    insert into intents (id, kind, owner, lane, asked, digest, request_id, deadline_at)
    values (item.id, item.kind, item.owner, item.lane, item.asked, item.request_digest, item.request_id,
            now() + make_interval(secs => item.deadline_s))
    on conflict (id) do nothing;
    if not found then
      select i.owner, i.digest into earlier from intents i where i.id = item.id;
      if earlier.owner = item.owner and earlier.digest = item.request_digest then
        verdict := 'replayed';
      else
        verdict := 'id_taken';
        delete from idempotency_keys k where k.owner = item.owner and k.key = item.idempotency_key;
      end if;
      return next;
      continue;
    end if;

    at_head := true;
    if item.lane is not null then
      insert into lanes as l (name, head)
      values (item.lane, item.id)
      on conflict (name) do update set head = coalesce(l.head, excluded.head)
      returning l.head = item.id into at_head;
    end if;
    if at_head then
      jobs := jobs || job_for(item.kind, item.id, null);
    end if;
    return next;
  end loop;

  if cardinality(jobs) > 0 then
    perform graphile_worker.add_jobs(jobs);
  end if;
end $$;

-- Takes an intent out of its lane and queues the one behind it. A no-op for whoever is not at the head.
create function leave_lane(lane_name text, leaver uuid) returns void
language plpgsql as $$
declare
  following record;
begin
  perform from lanes where name = lane_name and head = leaver for update;
  if not found then
    return;
  end if;
  select i.id, i.kind into following
  from intents i
  where i.lane = lane_name and i.state = 'queued' and i.id <> leaver
  order by i.position
  limit 1;
  update lanes set head = following.id where name = lane_name;
  if following.id is not null then
    perform graphile_worker.add_jobs(array[job_for(following.kind, following.id, null)]);
  end if;
end $$;

-- The one way to end an intent. False when the fence has moved on or the intent has ended already: nothing is written then.
create function settle_intent(intent uuid, held_fence integer, ending text, said jsonb) returns boolean
language plpgsql as $$
declare
  left_lane text;
begin
  update intents
  set state = ending, outcome = said, settled_at = now()
  where id = intent and fence = held_fence and state in ('queued', 'running', 'in_doubt')
  returning lane into left_lane;
  if not found then
    return false;
  end if;
  perform leave_lane(left_lane, intent);
  perform pg_notify('settled', intent::text);
  return true;
end $$;

-- Gives an intent to a worker and raises its fence. No row: it has ended, is being looked up, or ended here
-- because its deadline passed before anything was sent.
create function claim_intent(intent uuid) returns setof intents
language plpgsql as $$
declare
  held intents;
begin
  update intents
  set state = 'running', fence = fence + 1, tries = tries + 1
  where id = intent and state in ('queued', 'running')
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

-- Commits what goes out and that bytes may leave from now on. False: the claim is lost or the deadline has passed;
-- nothing may be sent.
create function begin_sending(intent uuid, held_fence integer, what jsonb) returns boolean
language plpgsql as $$
begin
  update intents
  set sending_at = now(), sent = what
  where id = intent and fence = held_fence and state = 'running' and sending_at is null and deadline_at > now();
  return found;
end $$;

-- Puts an intent back, nothing having been sent; it keeps its place at the head of its lane.
-- `said` is the outcome it ends with should its deadline pass before the next try; no try is planned beyond that.
create function retry_intent(intent uuid, held_fence integer, delay_s double precision, said jsonb) returns boolean
language plpgsql as $$
declare
  put_back record;
begin
  update intents
  set state = 'queued', sending_at = null, outcome = said
  where id = intent and fence = held_fence and state = 'running'
  returning kind, deadline_at into put_back;
  if not found then
    return false;
  end if;
  perform graphile_worker.add_jobs(array[
    job_for(put_back.kind, intent, least(now() + make_interval(secs => delay_s), put_back.deadline_at))]);
  return true;
end $$;

-- Records that the effect is unknown, lets the lane go on, and plans the next look.
create function doubt_intent(intent uuid, held_fence integer, delay_s double precision) returns boolean
language plpgsql as $$
declare
  doubted record;
begin
  update intents
  set state = 'in_doubt', looks = looks + 1, outcome = null
  where id = intent and fence = held_fence and state in ('running', 'in_doubt') and sending_at is not null
  returning kind, lane into doubted;
  if not found then
    return false;
  end if;
  perform leave_lane(doubted.lane, intent);
  perform graphile_worker.add_jobs(array[
    job_for(regexp_replace(doubted.kind, '[^/]+$', 'reconcile'), intent, now() + make_interval(secs => delay_s))]);
  return true;
end $$;
