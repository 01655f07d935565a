-- Spends weights of a bucket in the given order, up to the first that it does not cover. Returns how many were spent, and the milliseconds
-- until the next one can be. A new bucket is full. Exact under concurrency: the row is locked.
-- Item: weight, keep (tokens that must remain for more urgent weights). A weight above what the bucket holds is spent when it is full.
create or replace function spend_budget(of_name text, capacity double precision, per_s double precision, batch jsonb)
returns table (spent integer, wait_ms double precision)
language plpgsql as $$
declare
  bucket request_budgets;
  item record;
begin
  perform set_config('synchronous_commit', 'off', true); -- a crash forgets less than a second of it
  select * into bucket from request_budgets b where b.name = of_name for update;
  if not found then
    insert into request_budgets (name, tokens, counted_at) values (of_name, capacity, clock_timestamp()) on conflict do nothing;
    select * into bucket from request_budgets b where b.name = of_name for update;
  end if;
  bucket.tokens := least(capacity, bucket.tokens + greatest(0, extract(epoch from clock_timestamp() - bucket.counted_at)) * per_s);
  bucket.counted_at := greatest(bucket.counted_at, clock_timestamp());
  spent := 0;
  wait_ms := 0;
  for item in
    select b.weight, b.keep
    from jsonb_to_recordset(batch) as b (n integer, weight double precision, keep double precision)
    order by b.n
  loop
    wait_ms := 1000 * (greatest(0, extract(epoch from bucket.counted_at - clock_timestamp()))
      + greatest(0, least(capacity, item.weight + item.keep) - bucket.tokens) / per_s);
    exit when wait_ms > 0;
    bucket.tokens := bucket.tokens - item.weight;
    spent := spent + 1;
  end loop;
  update request_budgets b
  set tokens = bucket.tokens, counted_at = bucket.counted_at
  where b.name = of_name;
  return next;
end
$$;
