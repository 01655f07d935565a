-- Deletes requests older than `older_than_s` seconds, at most `most`, and the counts of days that ended 400 days ago. It picks requests in the
-- order of their numbers, which rise with their times but for seconds, and judges only these. Returns the number of requests. Skips rows that another
-- transaction has locked.
create or replace function prune_requests(older_than_s double precision, most integer) returns bigint
language plpgsql as $$
declare
  taken bigint;
begin
  delete from api_requests
  where ctid = any (array(
    select r.ctid
    from api_requests r
    where r.id = any (array(
        select o.id
        from api_requests o
        order by o.id
        limit most
      ))
      and r.at < now() - make_interval(secs => older_than_s)
    for update skip locked));
  get diagnostics taken = row_count;
  delete from api_usage
  where ctid = any (array(
    select u.ctid from api_usage u where u.day < (now() at time zone 'utc')::date - 400 limit most for update skip locked));
  return taken;
end $$;
