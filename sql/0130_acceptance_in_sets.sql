-- A batch of intents is accepted in a handful of statements, however many there are; only what meets an earlier id or key is judged one by one.

alter function accept_intents(jsonb) rename to accept_one_by_one;

-- Accepts a batch in one transaction, each item with its own verdict:
-- accepted | replayed (the same request under the same id or key) | key_reused | id_taken.
-- Keys, ids and lanes are taken in their own order, so that batches side by side wait for one another and not in a ring.
-- Item: n, id, kind, owner, lane?, asked, digest (hex), deadline_s, request_id?, idempotency_key?
create function accept_intents(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  keyed integer[] := '{}';
  fresh integer[];
  jobs graphile_worker.job_spec[];
begin
  if jsonb_path_exists(batch, '$[*].idempotency_key ? (@ != null)') then
    with offered as (
      select distinct on (i.owner, i.idempotency_key) i.*
      from jsonb_to_recordset(batch) as i (n integer, id uuid, owner text, digest text, idempotency_key text)
      where i.idempotency_key is not null
      order by i.owner, i.idempotency_key, i.n
    ), taken as (
      insert into idempotency_keys as k (owner, key, digest, intent_id)
      select o.owner, o.idempotency_key, decode(o.digest, 'hex'), o.id
      from offered o
      order by o.owner, o.idempotency_key
      on conflict do nothing
      returning k.owner, k.key
    )
    select coalesce(array_agg(o.n), '{}') into keyed
    from offered o
    join taken t on t.owner = o.owner and t.key = o.idempotency_key;
  end if;

  with offered as materialized (
    select distinct on (i.id) i.*
    from jsonb_to_recordset(batch) as i (
      n integer, id uuid, kind text, owner text, lane text, asked jsonb, digest text,
      deadline_s double precision, request_id text, idempotency_key text
    )
    where i.idempotency_key is null or i.n = any(keyed)
    order by i.id, i.n
  ), written as (
    insert into intents as w (id, kind, owner, lane, asked, digest, request_id, deadline_at)
    select o.id, o.kind, o.owner, o.lane, o.asked, decode(o.digest, 'hex'), o.request_id,
      now() + make_interval(secs => o.deadline_s)
    from offered o
    order by o.lane nulls first, o.n
    on conflict (id) do nothing
    returning w.id, w.kind, w.lane, w.position
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
    array_agg(job_for(w.kind, w.id, null) order by w.position) filter (where w.lane is null or h.head = w.id)
  into fresh, jobs
  from written w
  join offered o on o.id = w.id
  left join heads h on h.name = w.lane;

  if jobs is not null then
    perform graphile_worker.add_jobs(jobs);
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

comment on function accept_one_by_one(jsonb) is 'accept_intents for what may meet an earlier id or key, of this batch or before.';

-- Accepts order intents that have been judged: those named in `refused` ({n: verdict}) are only told so, the others are accepted, and
-- those with terms get their order row. Item: as accept_intents', and trader, pair, terms?
create function accept_orders(batch jsonb, refused jsonb, at_venue text) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
begin
  if refused is not null then
    return query
    select i.n, i.id, refused ->> i.n::text
    from jsonb_to_recordset(batch) as i (n integer, id uuid)
    where refused ? i.n::text;
    batch := (
      select coalesce(jsonb_agg(b.item), '[]')
      from jsonb_array_elements(batch) as b (item)
      where not refused ? (b.item ->> 'n')
    );
  end if;

  return query
  with verdicts as materialized (
    select a.n, a.intent_id, a.verdict
    from accept_intents(batch) a
  ), written as (
    insert into orders (id, venue, owner, trader, pair, handle, terms)
    select i.id, at_venue, i.owner, i.trader, i.pair, i.id::text, i.terms
    from jsonb_to_recordset(batch) as i (n integer, id uuid, owner text, trader text, pair text, terms jsonb)
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
    where i.terms is not null
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;

-- Accepts network order intents: those whose trader is the caller's own and whose target, if any, is an order of that trader.
-- Verdicts beside accept_intents': trader_unknown | order_unknown | pair_mismatch.
-- Item: as accept_intents', and trader (synthetic hotkey), pair, target?, terms?
-- The limits keep every look-up on its index: joined without, tables still small when the plan was made are read whole.
create or replace function accept_network_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  refused jsonb;
begin
  select jsonb_object_agg(j.n, j.verdict) into refused
  from (
    select i.n,
      case
        when s.owner is null then 'trader_unknown'
        when i.target is not null and o.id is null then 'order_unknown'
        when o.pair <> i.pair then 'pair_mismatch'
      end as verdict
    from jsonb_to_recordset(batch) as i (n integer, owner text, trader text, pair text, target uuid)
    left join lateral (
      select s.synthetic_hotkey, s.owner
      from subaccounts s
      where s.synthetic_hotkey = i.trader and s.owner = i.owner
      limit 1
    ) s on true
    left join lateral (
      select o.id, o.pair
      from orders o
      where o.id = i.target and o.trader = s.synthetic_hotkey and o.owner = s.owner
      limit 1
    ) o on true
  ) j
  where j.verdict is not null;
  return query select a.n, a.intent_id, a.verdict from accept_orders(batch, refused, 'netvenue') a;
end $$;

-- Accepts exchange order intents: those whose wallet this owner has enrolled. Verdict beside accept_intents': not_enrolled.
-- Item: as accept_intents', and trader (the wallet, in lower case), pair, terms?
create or replace function accept_exchange_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  refused jsonb;
begin
  select jsonb_object_agg(i.n, 'not_enrolled') into refused
  from jsonb_to_recordset(batch) as i (n integer, owner text, trader text)
  left join lateral (
    select e.owner
    from enrollments e
    where e.owner = i.owner and e.ex_wallet = i.trader
    limit 1
  ) e on true
  where e.owner is null;
  return query select a.n, a.intent_id, a.verdict from accept_orders(batch, refused, 'exvenue') a;
end $$;
