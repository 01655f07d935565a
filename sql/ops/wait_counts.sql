create or replace view ops.wait_counts as
select w.reason, w.is_exit, count(*)::integer as count, extract(epoch from now() - min(w.created_at))::double precision as oldest_s
from ops.waits w
group by w.reason, w.is_exit
order by w.reason, w.is_exit;
comment on view ops.wait_counts is
  'Open intents by what they wait for, of the 2,000 that ops.waits shows, exits apart, with the age of the oldest in seconds.';
