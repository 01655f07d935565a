create or replace view ops.orders as
select o.id as order_id, o.given_id, o.venue, o.owner, o.trader, o.pair, i.state, o.lifecycle, i.outcome -> 'problem' ->> 'code' as problem_code,
  o.created_at, i.settled_at, o.is_resting
from orders o
join intents i on i.id = o.id;
comment on view ops.orders is
  'Orders of traders, with the state of the intent that placed each and what became of it at the venue. By trader: where trader = …, newest by '
  'created_at.';
