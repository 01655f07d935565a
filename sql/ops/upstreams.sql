create or replace view ops.upstreams as
with open_intents as (
  select k.upstream,
    count(*) filter (where i.state <> 'in_doubt')::integer as waiting,
    count(*) filter (where i.state = 'in_doubt')::integer as in_doubt,
    (array_agg(i.unknown_because order by i.sending_at desc) filter (where i.state = 'in_doubt'))[1] as in_doubt_because
  from intents i
  join intent_kinds k on k.kind = i.kind
  where (i.phase = 'pending' or i.phase = 'in_doubt')
  group by k.upstream
), ended as (
  select k.upstream, max(n.settled_at) filter (where n.state = 'succeeded') as succeeded_at
  from intent_kinds k
  cross join lateral (
    select i.settled_at, i.state
    from intents i
    where i.kind = k.kind and i.settled_at is not null
    order by i.settled_at desc
    limit 100
  ) n
  group by k.upstream
)
select u.upstream, coalesce(o.waiting, 0) as waiting, coalesce(o.in_doubt, 0) as in_doubt, o.in_doubt_because, e.succeeded_at
from (select distinct k.upstream from intent_kinds k) u
left join open_intents o on o.upstream = u.upstream
left join ended e on e.upstream = u.upstream
union all
select 'mail', (select coalesce(sum(q.ready + q.planned + q.running), 0)::integer from ops.queue_ages q where q.task = 'mail/send'), 0, null,
  max(m.ended_at) filter (where m.state = 'sent')
from (
  select s.state, s.ended_at
  from mails s
  where s.template <> 'none'
  order by s.created_at desc
  limit 100
) m;
comment on view ops.upstreams is
  'Writes by upstream: how many wait to be sent, how many are in doubt and why the newest of them is, and the last success among the newest 100 '
  'of a kind.';
