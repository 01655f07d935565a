-- Mails the token by which an operator sets a password. It replaces an earlier one, and the password. For a new address it creates the operator, in
-- the given role; without a role the operator has to exist. One who is disabled loses the password and is mailed nothing: an enabled one has to be
-- invited again. Returns the operator; null if the address is taken, or unknown.
create or replace function invite_operator(
  new_id text, address text, new_role text, token_digest bytea, lives_s integer, mail uuid, sealed bytea
) returns text
language plpgsql as $$
declare
  invited record;
begin
  if new_role is null then
    update admins a
    set password_hash = null, invitation_digest = case when a.disabled_at is null then token_digest end,
      invitation_expires_at = case when a.disabled_at is null then now() + make_interval(secs => lives_s) end
    where a.email = address
    returning a.id, a.disabled_at is not null as is_disabled into invited;
  else
    insert into admins (id, email, role, invitation_digest, invitation_expires_at)
    values (new_id, address, new_role, token_digest, now() + make_interval(secs => lives_s))
    on conflict (email) do nothing
    returning id, false as is_disabled into invited;
  end if;
  if not invited.is_disabled then
    perform post_mail(mail, 'operator_invited', address, '{}', sealed, lives_s);
  end if;
  return invited.id;
end $$;
