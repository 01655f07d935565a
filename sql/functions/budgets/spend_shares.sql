-- Spends weights of a bucket in the given order, those that are covered. Returns the numbers of those that were spent, and the milliseconds until
-- another one can be; 0 if all were. After one that is not covered, only those that must leave less are spent. A new bucket is full. Exact under
-- concurrency: the row is locked. A tenant's share is the refill divided by the tenants that have spent more than they got back, at least by two.
-- Who is more than `allowance` beyond its share leaves `spare` to the others, and all the rest is its own while nobody else wants it.
-- A pause ends after a minute at the latest, so that a server whose clock was set back does not prolong it.
-- Item: n, weight, keep (tokens that must remain for more urgent weights), tenant, spare, allowance? (instead of that of all). A weight above what
-- the bucket holds is spent when it is full.
create or replace function spend_shares(of_name text, capacity double precision, per_s double precision, allowance double precision, batch jsonb)
returns table (spent integer[], wait_ms double precision)
language plpgsql as $$
declare
  bucket request_budgets;
  passed_s double precision;
  share double precision;
  item record;
  used double precision;
  must_remain double precision;
  blocked double precision;
  item_wait_ms double precision;
begin
  perform set_config('synchronous_commit', 'off', true); -- a crash forgets less than a second of it
  loop
    select * into bucket from request_budgets b where b.name = of_name for update;
    exit when found;
    insert into request_budgets (name, tokens, counted_at) values (of_name, capacity, clock_timestamp()) on conflict do nothing;
  end loop;
  passed_s := greatest(0, extract(epoch from clock_timestamp() - bucket.counted_at));
  bucket.tokens := least(capacity, bucket.tokens + passed_s * per_s);
  bucket.counted_at := least(greatest(bucket.counted_at, clock_timestamp()), clock_timestamp() + interval '1 minute');
  share := per_s / greatest(2, (select count(*) from jsonb_object_keys(bucket.uses)));
  bucket.uses := coalesce((
    select jsonb_object_agg(u.key, u.value::double precision - passed_s * share)
    from jsonb_each_text(bucket.uses) u
    where u.value::double precision > passed_s * share
  ), '{}');
  spent := '{}';
  for item in
    select b.n, b.weight, b.keep, b.tenant, b.spare, coalesce(b.allowance, spend_shares.allowance) as allowance
    from jsonb_to_recordset(batch) as b (
      n integer, weight double precision, keep double precision, tenant text, spare double precision, allowance double precision
    )
    order by b.n
  loop
    used := coalesce((bucket.uses ->> item.tenant)::double precision, 0);
    must_remain := item.keep + case when used + item.weight > item.allowance then item.spare else 0 end;
    continue when must_remain >= blocked;
    item_wait_ms := 1000 * (greatest(0, extract(epoch from bucket.counted_at - clock_timestamp()))
      + greatest(0, least(capacity, item.weight + must_remain) - bucket.tokens) / per_s);
    if item_wait_ms > 0 then
      blocked := must_remain;
      wait_ms := least(item_wait_ms, wait_ms);
      continue;
    end if;
    bucket.tokens := bucket.tokens - item.weight;
    bucket.uses := bucket.uses || jsonb_build_object(item.tenant, used + item.weight);
    spent := spent || item.n;
  end loop;
  wait_ms := coalesce(wait_ms, 0);
  update request_budgets b
  set tokens = bucket.tokens, counted_at = bucket.counted_at, uses = bucket.uses
  where b.name = of_name;
  return next;
end
$$;
