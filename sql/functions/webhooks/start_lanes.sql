-- Starts one more lane of each endpoint that may have one: up to four while it succeeds, one while it fails or its owner has 50 lanes, none while its
-- owner is disabled. A lane holds a job of a worker while its receiver works, so the limit leaves jobs to other owners. The caller holds the
-- endpoints, which belong to one owner.
create or replace function start_lanes(endpoints text[]) returns void
language plpgsql as $$
declare
  jobs graphile_worker.job_spec[];
begin
  with free as (
    select e.id, n.lane
    from webhook_endpoints e
    cross join lateral (
      select lane
      from generate_series(0, case when e.failing_since is null and (
        select coalesce(sum(bit_count(o.lanes::bit(4))), 0)
        from webhook_endpoints o
        where o.owner = (select w.owner from webhook_endpoints w where w.id = endpoints[1])
      ) < 50 then 3 else 0 end) as lane
      where e.lanes & (1 << lane) = 0
      order by lane
      limit 1
    ) n
    where e.id = any(endpoints) and not is_disabled(e.owner)
  ), started as (
    update webhook_endpoints e
    set lanes = e.lanes | (1 << f.lane)
    from free f
    where e.id = f.id
    returning e.id, f.lane
  )
  select array_agg(lane_job(s.id, s.lane, null)) into jobs from started s;
  if jobs is not null then
    perform enqueue(jobs);
  end if;
end $$;
