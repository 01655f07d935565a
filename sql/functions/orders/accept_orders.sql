-- Accepts order intents that have been judged. Those in `rejected` ({n: verdict}) only get that verdict. The others are accepted, and those
-- with terms get an order row at the venue of their kind. A name that is the id of an order that was lost with the time after a backup stands
-- for that order: a caller may repeat an order under the id that this service gave.
-- Item: as for accept_intents, and trader, pair, terms?
create or replace function accept_orders(batch jsonb, rejected jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
begin
  if exists (select from jsonb_to_recordset(batch) as i (given_id uuid) join lost_orders l on l.id = i.given_id) then
    batch := (
      select jsonb_agg(case when l.id is null then b.item else b.item - 'given_id' || jsonb_build_object('id', l.id) end)
      from jsonb_array_elements(batch) as b (item)
      left join lost_orders l on l.id = (b.item ->> 'given_id')::uuid
    );
  end if;

  if rejected is not null then
    return query
    select i.n, i.id, rejected ->> i.n::text
    from jsonb_to_recordset(batch) as i (n integer, id uuid)
    where rejected ? i.n::text;
    batch := (
      select coalesce(jsonb_agg(b.item), '[]')
      from jsonb_array_elements(batch) as b (item)
      where not rejected ? (b.item ->> 'n')
    );
  end if;

  return query
  with verdicts as materialized (
    select a.n, a.intent_id, a.verdict
    from accept_intents(batch) a
  ), written as (
    insert into orders (id, given_id, venue, owner, trader, pair, terms)
    select i.id, i.given_id, venue_of(i.kind), i.owner, i.trader, i.pair, nullif(i.terms, i.request -> 'terms')
    from jsonb_to_recordset(batch) as i (n integer, id uuid, given_id uuid, kind text, owner text, trader text, pair text, request jsonb, terms jsonb)
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
    where i.terms is not null
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;
