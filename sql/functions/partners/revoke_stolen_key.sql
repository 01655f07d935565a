-- Revokes a partner's key that is stolen, and every key that was rolled from it, and deactivates the endpoints that they set (quarantine_endpoints):
-- also of one that was revoked before it was known to be stolen. No row: the key is unknown. A key that is rolled meanwhile is found in another
-- round: its row is locked until the new one is there. Locks the keys, then the endpoints.
create or replace function revoke_stolen_key(stolen text) returns table (keys text[], endpoints text[])
language plpgsql as $$
declare
  of_partner text;
  ended text[];
  more text[];
begin
  select k.partner_id into of_partner from partner_keys k where k.id = stolen;
  if not found then
    return;
  end if;
  loop
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
      where k.id = m.id and not k.id = any(coalesce(ended, '{}'))
      returning k.id
    )
    select array_agg(r.id) into more from revoked r;
    exit when more is null;
    ended := ended || more;
  end loop;
  return query select ended, quarantine_endpoints(of_partner, ended);
end $$;
