-- Gives an endpoint a new secret, which is shown to who has these credentials (`used`, see use_credentials). The three newest old ones sign for
-- `overlap_s` seconds at most, older ones no longer. Null: the owner has no such endpoint.
create or replace function rotate_webhook_secret(
  of_owner text, endpoint text, new_id text, new_sealed bytea, overlap_s integer, used jsonb
) returns timestamptz
language plpgsql as $$
declare
  until timestamptz := now() + make_interval(secs => overlap_s);
begin
  update webhook_endpoints e set credentials = e.credentials || used where e.id = endpoint and e.owner = of_owner;
  if not found then
    return null;
  end if;
  update webhook_secrets s
  set expires_at = case when o.age <= 3 then least(s.expires_at, until) else now() end
  from (
    select id, row_number() over (order by created_at desc, id desc) as age
    from webhook_secrets
    where endpoint_id = endpoint and (expires_at is null or expires_at > now())
  ) o
  where s.id = o.id;
  insert into webhook_secrets (id, endpoint_id, sealed) values (new_id, endpoint, new_sealed);
  return until;
end $$;
