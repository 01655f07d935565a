-- The name that people know a record by: of an app or partner its name, of a user, operator or something that belongs to a user the address,
-- of a partner's key the partner, of an access request the company, of an intent its verb, of an endpoint its address without the query.
-- Null for any other id. One look-up by key.
create or replace function ops.name_of(id text) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when name_of.id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (
      select i.kind
      from intents i
      where i.id = name_of.id::uuid
    )
    else case split_part(name_of.id, '_', 1)
      when 'adn' then (select a.email from admins a where a.id = name_of.id)
      when 'app' then (select a.name from apps a where a.id = name_of.id)
      when 'ptn' then (select p.name from partners p where p.id = name_of.id)
      when 'pky' then (select p.name from partner_keys k join partners p on p.id = k.partner_id where k.id = name_of.id)
      when 'req' then (select r.company_name from app_requests r where r.id = name_of.id)
      when 'usr' then (select u.email from users u where u.id = name_of.id)
      when 'prop' then (select u.email from prop_accounts a join users u on u.id = a.user_id where a.id = name_of.id)
      when 'pay' then (select u.email from payments p join users u on u.id = p.user_id where p.id = name_of.id)
      when 'po' then (select u.email from payouts o join users u on u.id = o.user_id where o.id = name_of.id)
      when 'whe' then (select split_part(w.url, '?', 1) from webhook_endpoints w where w.id = name_of.id)
      when 'whd' then (select e.type from webhook_deliveries d join events e on e.id = d.event_id where d.id = name_of.id)
    end
  end
$$;
comment on function ops.name_of is
  'The name that people know a record by: the name of an app or partner, the address of a user or operator, or of the user that a payment, '
  'account or payout belongs to, the verb of an intent. Null if it has none.';
