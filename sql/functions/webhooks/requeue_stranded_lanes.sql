-- Safety net: gives every lane without a job a new one, and starts endpoints with due deliveries and no lane. Returns the number of such
-- endpoints; normally 0. Jobs are found by their keys: to search all that wait takes seconds for each of many endpoints, and keeps those locked, so
-- that no event of their owners could be written meanwhile. A plan that was made while few waited must not read all either, so scans are off.
create or replace function requeue_stranded_lanes() returns integer
language plpgsql
set enable_seqscan = off as $$
declare
  stranded record;
  found_some integer := 0;
begin
  for stranded in
    select e.id, e.lanes
    from webhook_endpoints e
    where not is_disabled(e.owner) and (e.lanes <> 0 or e.active and exists (
      select
      from webhook_deliveries d
      where d.endpoint_id = e.id and d.state = 'pending' and d.due_at < now() - interval '1 minute'
    ))
    order by e.id
    for no key update skip locked
  loop
    continue when exists (
      select
      from queue_jobs j
      where j.key = any (array(
          select webhook_job_key(stranded.id, n::text) from generate_series(0, 3) as n
        ) || webhook_job_key(stranded.id, 'dispatch'))
        and j.attempts < j.max_attempts
    ) or exists (
      select
      from webhook_deliveries d
      where d.endpoint_id = stranded.id and d.state = 'sending' and d.taken_at > now() - interval '1 minute'
    );
    found_some := found_some + 1;
    if stranded.lanes = 0 then
      perform dispatch_due_deliveries(stranded.id);
    else
      perform enqueue(array(
        select lane_job(stranded.id, n, null) from generate_series(0, 3) as n where stranded.lanes & (1 << n) <> 0));
    end if;
  end loop;
  return found_some;
end $$;
