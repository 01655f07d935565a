-- Deletes expired rows, at most `most` of each table (sign-ups: those of at most `most` users), and returns the largest number deleted from one
-- table. Skips rows that another transaction has locked.
create or replace function forget_expired_identity(most integer) returns bigint
language plpgsql as $$
declare
  taken bigint;
  longest bigint := 0;
begin
  delete from throttles
  where ctid = any (array(
    select t.ctid from throttles t where t.forget_at < now() order by t.forget_at limit most for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from paces
  where ctid = any (array(
    select p.ctid from paces p where coalesce(p.taken[1], '-infinity') < now() - interval '1 hour' limit most for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from app_tokens
  where ctid = any (array(
    select t.ctid
    from app_tokens t
    where t.expires_at < now() - interval '1 day'
    order by t.expires_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from stream_tickets
  where ctid = any (array(
    select t.ctid from stream_tickets t where t.expires_at < now() order by t.expires_at limit most for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from one_time_codes
  where ctid = any (array(
    select c.ctid
    from one_time_codes c
    where c.expires_at < now() - interval '1 day'
    order by c.expires_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from login_codes
  where ctid = any (array(
    select c.ctid
    from login_codes c
    where c.expires_at < now() - interval '1 day'
    order by c.expires_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from password_resets
  where ctid = any (array(
    select r.ctid
    from password_resets r
    where r.expires_at < now() - interval '1 day'
    order by r.expires_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from known_addresses
  where ctid = any (array(
    select a.ctid
    from known_addresses a
    where a.seen_at < now() - interval '180 days'
    order by a.seen_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from webhook_secrets
  where ctid = any (array(
    select s.ctid from webhook_secrets s where s.expires_at < now() - interval '1 day' limit most for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  -- All sign-ups of a user together: the last one left would be the only one, and its password would count. Those that stay do not take up the limit,
  -- so that an address which is signed up again and again keeps no others.
  delete from sign_ups
  where user_id = any (array(
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
    for update skip locked));
  get diagnostics taken = row_count;
  longest := greatest(longest, taken);

  delete from users
  where ctid = any (array(
    select u.ctid
    from users u
    where u.verified_at is null and u.created_at < now() - interval '7 days'
      and not exists (select from sign_ups s where s.user_id = u.id)
    order by u.created_at
    limit most
    for update skip locked));
  get diagnostics taken = row_count;
  return greatest(longest, taken);
end $$;
comment on function forget_expired_identity(integer) is
  'Sign-ups are deleted after 7 days, and a user who was never verified with the last of them, so that nobody can block an address by signing up '
  'with it first.';
