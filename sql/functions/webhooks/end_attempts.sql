-- Records the attempts that these steps of lanes report, and their consequences for deliveries and endpoints. Item: n, endpoint_id, said?:
-- delivery_id, fence, ending (delivered | retry | failed | gone), retry_in_s?, duration_ms, status?, error?, response?, url? (where it was sent: a
-- former address says nothing about the present one). Returns the n of those with a valid claim; nothing is written for the others. Locks the
-- deliveries, then the endpoints that begin or cease to fail, as emit_ended locks them. A delivery is found by its id and its lane, which is set
-- while it is being sent. If it was requested again meanwhile (retry_step -1) and fails, it is due at once. A plan that was made while the tables
-- were small must not read all of them.
create or replace function end_attempts(batch jsonb) returns integer[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  held integer[];
  told record;
begin
  if not jsonb_path_exists(batch, '$[*].said') then
    return '{}';
  end if;
  with said as (
    select i.n, s.*
    from jsonb_to_recordset(batch) as i (n integer, said jsonb)
    cross join lateral jsonb_to_record(i.said) as s (
      delivery_id text, fence integer, ending text, retry_in_s double precision, duration_ms integer, status integer, error text, response text
    )
    where i.said is not null
  ), ended as (
    update webhook_deliveries d
    set state = case
        when s.ending = 'delivered' then 'delivered'
        when s.ending = 'retry' or s.ending = 'failed' and d.retry_step < 0 then 'pending'
        else 'failed'
      end,
      lane = null,
      retry_step = d.retry_step + 1,
      due_at = case
        when d.retry_step < 0 then now()
        when s.ending = 'retry' then now() + make_interval(secs => s.retry_in_s)
        else d.due_at
      end,
      response_status = s.status,
      error = s.error,
      ended_at = case when s.ending <> 'retry' and (s.ending <> 'failed' or d.retry_step >= 0) then now() end
    from said s
    where d.id = s.delivery_id and d.fence = s.fence and d.lane is not null
    returning s.*, d.attempts
  ), noted as (
    insert into webhook_attempts (delivery_id, n, started_at, duration_ms, response_status, error, response)
    select e.delivery_id, e.attempts, clock_timestamp() - make_interval(secs => e.duration_ms / 1000.0), e.duration_ms, e.status, e.error, e.response
    from ended e
  )
  select coalesce(array_agg(e.n), '{}') into held from ended e;

  for told in
    select c.endpoint_id, c.said
    from (
      select i.n, i.endpoint_id, i.said, e.owner, bool_or((i.said ->> 'ending' = 'delivered') = (e.failing_since is not null) or
        i.said ->> 'ending' <> 'delivered') over (partition by i.endpoint_id) as is_concerned
      from jsonb_to_recordset(batch) as i (n integer, endpoint_id text, said jsonb)
      cross join lateral (
        select w.owner, w.failing_since
        from webhook_endpoints w
        where w.id = i.endpoint_id
        limit 1
      ) e
      where i.n = any(held)
    ) c
    where c.is_concerned
    order by c.owner, c.endpoint_id, c.n
  loop
    perform note_ending(told.endpoint_id, told.said);
  end loop;
  return held;
end $$;
