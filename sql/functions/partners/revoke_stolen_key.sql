-- Revokes a partner's key that is stolen, and every key that was rolled from it, and deactivates the endpoints that they set (quarantine_endpoints).
-- No row: the key is unknown or revoked. Locks the keys, then the endpoints.
create or replace function revoke_stolen_key(stolen text) returns table (keys text[], endpoints text[])
language plpgsql as $$
declare
  of_partner text;
  ended text[];
begin
  select k.partner_id into of_partner from partner_keys k where k.id = stolen and k.revoked_at is null for update;
  if not found then
    return;
  end if;
  with recursive made (id) as (
    select stolen
    union
    select k.id
    from partner_keys k
    join made m on k.rolled_from = m.id
  ), revoked as (
    update partner_keys k
    set revoked_at = coalesce(k.revoked_at, now())
    from made m
    where k.id = m.id
    returning k.id
  )
  select array_agg(r.id order by r.id) into ended from revoked r;
  return query select ended, quarantine_endpoints(of_partner, ended);
end $$;
