-- Plans the dispatch of an endpoint's next retry. A later plan replaces an earlier one. The caller holds the lock on the endpoint.
create or replace function plan_dispatch(endpoint text) returns void
language plpgsql as $$
declare
  due timestamptz;
begin
  select min(d.due_at) into due
  from webhook_deliveries d
  where d.endpoint_id = endpoint and d.state = 'pending';
  if due is not null then
    perform enqueue(array[row('webhooks/dispatch', json_build_object('endpoint_id', endpoint), null, due, null,
      webhook_job_key(endpoint, 'dispatch'), null, null)::graphile_worker.job_spec]);
  end if;
end $$;
