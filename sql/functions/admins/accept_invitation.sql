-- Sets the password of the operator who holds the mailed token, once. Returns the operator; null for a wrong, used or expired token.
create or replace function accept_invitation(token_digest bytea, new_hash text) returns text
language sql as $$
  update admins a
  set password_hash = new_hash, invitation_digest = null, invitation_expires_at = null
  where a.invitation_digest = token_digest and a.invitation_expires_at > now() and a.disabled_at is null
  returning a.id
$$;
