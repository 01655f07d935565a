-- Notes whether complete records of the venue lack a resting order. True if they have lacked it for so many seconds. Locks the order if it changes.
create or replace function note_absence(order_id uuid, is_absent boolean, for_s double precision) returns boolean
language plpgsql as $$
declare
  since timestamptz;
begin
  select o.absent_since into since from orders o where o.id = order_id and o.lifecycle = 'resting';
  if not found then
    return false;
  end if;
  if is_absent is distinct from (since is not null) then
    update orders set absent_since = case when is_absent then coalesce(absent_since, now()) end where id = order_id;
  end if;
  return is_absent and since <= now() - make_interval(secs => for_s);
end $$;
