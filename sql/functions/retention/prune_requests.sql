-- Deletes requests older than `older_than_s` seconds, at most `most`, and the counts of days that ended 400 days ago. It picks the requests of each
-- owner in the order of their numbers, which rise with their times but for seconds, and judges only these. Returns the number of requests. Skips
-- rows that another transaction has locked.
create or replace function prune_requests(older_than_s double precision, most integer) returns bigint
language plpgsql as $$
declare
  taken bigint;
begin
  delete from api_requests
  where ctid = any (array(
    with recursive owners as (
      select min(r.owner) as owner
      from api_requests r
      union all
      select (select min(r.owner) from api_requests r where r.owner > o.owner)
      from owners o
      where o.owner is not null
    )
    select r.ctid
    from api_requests r
    where r.ctid = any (array(
        select old.ctid
        from owners o
        cross join lateral (
          select p.ctid, p.at
          from api_requests p
          where p.owner = o.owner
          order by p.id
          limit most
        ) old
        where old.at < now() - make_interval(secs => older_than_s)
        limit most
      ))
    for update skip locked));
  get diagnostics taken = row_count;
  delete from api_usage
  where ctid = any (array(
    select u.ctid from api_usage u where u.day < (now() at time zone 'utc')::date - 400 limit most for update skip locked));
  return taken;
end $$;
