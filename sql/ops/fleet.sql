create or replace view ops.fleet as
select p.kind, p.instance, p.version, p.started_at, p.seen_at, p.seen_at > now() - interval '30 seconds' as is_running,
  p.failing_checks, p.paused, p.serves, p.clock_ahead_s, p.sealing_keys, p.agreement_keys, p.settings, p.reach, p.id
from processes p
order by p.kind, p.started_at;
comment on view ops.fleet is
  'Every process as it describes itself every 5 s: version, why it is not ready, upstreams that reject its credentials, clock, ids of its keys, a '
  'fingerprint of each setting. One that was killed stays for an hour.';
