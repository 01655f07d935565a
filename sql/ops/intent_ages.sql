create or replace view ops.intent_ages as
select i.state, i.kind, count(*)::integer as count, extract(epoch from now() - min(i.created_at))::double precision as oldest_s
from intents i
where (i.phase = 'pending' or i.phase = 'in_doubt')
group by i.state, i.kind
order by i.state, i.kind;
comment on view ops.intent_ages is 'Open intents by state and kind, with the age of the oldest in seconds.';
