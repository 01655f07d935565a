-- Accepts order intents that have been judged. Those in `rejected` ({n: verdict}) only get that verdict. The others are accepted, and those
-- with terms get an order row at the venue of their kind.
-- Item: as for accept_intents, and trader, pair, terms?
create or replace function accept_orders(batch jsonb, rejected jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
begin
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
    insert into orders (id, venue, owner, trader, pair, handle, terms)
    select i.id, venue_of(i.kind), i.owner, i.trader, i.pair, i.id::text, i.terms
    from jsonb_to_recordset(batch) as i (n integer, id uuid, kind text, owner text, trader text, pair text, terms jsonb)
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
    where i.terms is not null
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;
