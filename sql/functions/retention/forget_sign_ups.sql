-- Deletes the sign-ups of at most `most` users who have none that is younger than 7 days. All of a user together: the last one left would be the only
-- one, and its password would count. Those that stay do not take up the limit, so that an address which is signed up again and again keeps no others.
-- Returns how many. Skips users that another transaction has locked.
create or replace function forget_sign_ups(most integer) returns bigint
language sql as $$
  with old as materialized (
    select u.id
    from users u
    where u.id in (
      select s.user_id
      from sign_ups s
      where s.created_at < now() - interval '7 days'
        and not exists (select from sign_ups n where n.user_id = s.user_id and n.created_at >= now() - interval '7 days')
      order by s.created_at
      limit most
    )
    for update skip locked
  ), gone as (
    delete from sign_ups s
    where s.user_id = any (array(select o.id from old o))
    returning 1
  )
  select count(*) from gone
$$;
