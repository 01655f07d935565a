-- Mails the token by which an operator sets a password. It replaces an earlier one, and the password. For a new address it creates the
-- operator, in the given role; without a role the operator has to exist. Returns the operator; null if the address is taken, or unknown.
create or replace function invite_operator(
  new_id text, address text, new_role text, token_digest bytea, lives_s integer, mail uuid, sealed bytea
) returns text
language plpgsql as $$
declare
  operator text;
begin
  if new_role is null then
    update admins a
    set password_hash = null, invitation_digest = token_digest, invitation_expires_at = now() + make_interval(secs => lives_s)
    where a.email = address and a.disabled_at is null
    returning a.id into operator;
  else
    insert into admins (id, email, role, invitation_digest, invitation_expires_at)
    values (new_id, address, new_role, token_digest, now() + make_interval(secs => lives_s))
    on conflict (email) do nothing
    returning id into operator;
  end if;
  if operator is not null then
    perform post_mail(mail, 'operator_invited', address, '{}', sealed, lives_s);
  end if;
  return operator;
end $$;
