-- Deletes requests older than `older_than_s` seconds, at most `most`, and the counts of days that ended 400 days ago. It takes the requests of each
-- owner in the order of their numbers, which rise with their times but for seconds, a few at a time until one of these is young: so it reads hardly
-- more than it deletes, however many owners there are. Returns the number of requests. Skips rows that another transaction has locked.
create or replace function prune_requests(older_than_s double precision, most integer) returns bigint
language plpgsql as $$
declare
  few constant integer := 100;
  of_owner text := (select min(r.owner) from api_requests r);
  taken bigint := 0;
  last integer;
begin
  while of_owner is not null and taken < most loop
    delete from api_requests
    where ctid = any (array(
      select r.ctid
      from api_requests r
      where r.ctid = any (array(
          select old.ctid
          from (
            select p.ctid, p.at
            from api_requests p
            where p.owner = of_owner
            order by p.id
            limit least(few, most - taken)
          ) old
          where old.at < now() - make_interval(secs => older_than_s)
        ))
      for update skip locked));
    get diagnostics last = row_count;
    taken := taken + last;
    if last < few then
      of_owner := (select min(r.owner) from api_requests r where r.owner > of_owner);
    end if;
  end loop;
  delete from api_usage
  where ctid = any (array(
    select u.ctid from api_usage u where u.day < (now() at time zone 'utc')::date - 400 limit most for update skip locked));
  return taken;
end $$;
