-- Accepts a batch in one transaction, each item with its own verdict: accepted | replayed (the same request with the same id, or a key that is spent)
-- | key_reused (also one of a write without an intent, see has_stored_response) | id_taken. A key that its earlier intent does not keep (spends_key)
-- passes to the new one. Locks keys, ids and lanes each in sorted order, so that concurrent batches wait for each other without a deadlock. Paused
-- intents give way to accepted ones that the pause does not hold (yield_to_newcomers). Order verbs that can start are announced on `accepted` with
-- their rows, which a worker then need not read. `given_id`: the caller's name of an order. If it is the id of an earlier order of the owner, it
-- means that order. Item: n, id, given_id?, kind, is_exit?, owner, lane?, alongside?, request, digest (hex), deadline_s, request_id?,
-- idempotency_key?, caller? (whose key it is; null: the owner's)
create or replace function accept_intents(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  keyed integer[] := '{}';
  fresh integer[];
  jobs graphile_worker.job_spec[];
  joined jsonb;
  started intents[];
  exits uuid[];
begin
  perform restore_unlogged();
  if jsonb_path_exists(batch, '$[*].idempotency_key ? (@ != null)') then
    with offered as (
      select distinct on (i.owner, i.idempotency_key) i.*
      from jsonb_to_recordset(batch) as i (n integer, id uuid, owner text, caller text, digest text, idempotency_key text)
      where i.idempotency_key is not null and not has_stored_response(coalesce(i.caller, i.owner), i.idempotency_key)
      order by i.owner, i.idempotency_key, i.n
    ), taken as (
      insert into idempotency_keys as k (owner, key, digest, intent_id)
      select o.owner, o.idempotency_key, decode(o.digest, 'hex'), o.id
      from offered o
      order by o.owner, o.idempotency_key
      on conflict (owner, key) do update set intent_id = excluded.intent_id, created_at = now()
      where k.digest = excluded.digest and k.intent_id <> excluded.intent_id
        and exists (select from intents i where i.id = k.intent_id and not spends_key(i))
      returning k.owner, k.key
    )
    select coalesce(array_agg(o.n), '{}') into keyed
    from offered o
    join taken t on t.owner = o.owner and t.key = o.idempotency_key;
  end if;

  with offered as materialized (
    select distinct on (i.id) i.*
    from jsonb_to_recordset(batch) as i (
      n integer, id uuid, given_id uuid, kind text, is_exit boolean, owner text, lane text, alongside text, request jsonb, digest text,
      deadline_s double precision, request_id text, idempotency_key text
    )
    where (i.idempotency_key is null or i.n = any(keyed)) and (i.given_id is null or not is_order_id(i.owner, i.given_id))
    order by i.id, i.n
  ), written as (
    insert into intents as w (id, given_id, kind, is_exit, owner, lane, alongside, request, digest, request_id, deadline_at)
    select o.id, o.given_id, o.kind, is_exit(o.kind, o.is_exit), o.owner, o.lane, o.alongside, o.request, decode(o.digest, 'hex'), o.request_id,
      now() + make_interval(secs => o.deadline_s)
    from offered o
    order by o.lane nulls first, o.n
    on conflict (id) do nothing
    returning w.id, w.kind, w.is_exit, w.owner, w.lane, w.position, w as whole
  ), first as (
    select distinct on (w.lane) w.lane, w.id
    from written w
    where w.lane is not null
    order by w.lane, w.position
  ), heads as (
    insert into lanes as l (name, head)
    select f.lane, f.id
    from first f
    order by f.lane
    on conflict (name) do update set head = coalesce(l.head, excluded.head)
    returning l.name, l.head
  )
  select coalesce(array_agg(o.n), '{}'),
    array_agg(job_for(w.kind, w.id, w.is_exit, null) order by w.position) filter (where w.lane is null or h.head = w.id),
    jsonb_agg(distinct jsonb_build_object('lane', w.lane, 'owner', w.owner)) filter (
      where h.head <> w.id and (o.alongside is not null or turns_of(w.lane, w.owner) is not null)
    ),
    array_agg(w.whole) filter (where venue_of(w.kind) is not null and (w.lane is null or h.head = w.id)),
    array_agg(w.id) filter (where w.is_exit and h.head <> w.id)
  into fresh, jobs, joined, started, exits
  from written w
  join offered o on o.id = w.id
  left join heads h on h.name = w.lane;

  if started is not null then
    perform announce_intent('accepted', s) from unnest(started) s;
  end if;
  if jobs is not null then
    perform enqueue(jobs);
  end if;
  if joined is not null then
    perform advance_lane(j.lane, null, j.owner) from jsonb_to_recordset(joined) as j (lane text, owner text);
  end if;
  if exits is not null or exists (select from pauses) then
    perform yield_to_newcomers(array(select i.id from jsonb_to_recordset(batch) as i (n integer, id uuid) where i.n = any(fresh)));
  end if;
  return query
  select i.n, i.id, 'accepted'
  from jsonb_to_recordset(batch) as i (n integer, id uuid)
  where i.n = any(fresh);

  if cardinality(fresh) < jsonb_array_length(batch) then
    delete from idempotency_keys k
    using jsonb_to_recordset(batch) as i (n integer, owner text, idempotency_key text)
    where i.n = any(keyed) and not i.n = any(fresh) and k.owner = i.owner and k.key = i.idempotency_key;
    return query
    select o.n, o.intent_id, o.verdict
    from accept_one_by_one((
      select jsonb_agg(b.item)
      from jsonb_array_elements(batch) as b (item)
      where not (b.item ->> 'n')::integer = any(fresh)
    )) o;
  end if;
end $$;
