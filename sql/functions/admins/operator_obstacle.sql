-- Why an operator may not change another: unknown | self | last_admin (nobody else could undo it). Null: nothing is in the way.
-- `by_operator`: null for a person in psql. `loses_admin`: the change takes the role or the access of an admin. Locks all admins.
create or replace function operator_obstacle(operator text, by_operator text, loses_admin boolean default false) returns text
language plpgsql as $$
begin
  perform from admins a where a.role = 'admin' or a.id = operator order by a.id for no key update;
  if not exists (select from admins a where a.id = operator) then
    return 'unknown';
  elsif operator = by_operator then
    return 'self';
  elsif loses_admin and exists (select from admins a where a.id = operator and a.role = 'admin' and a.disabled_at is null)
    and not exists (select from admins a where a.id <> operator and a.role = 'admin' and a.disabled_at is null and a.password_hash is not null)
  then
    return 'last_admin';
  end if;
  return null;
end $$;
