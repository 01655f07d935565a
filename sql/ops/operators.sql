create or replace view ops.operators as
select a.id, a.email, a.role, a.totp_enrolled_at is not null as has_authenticator, a.disabled_at,
  case when a.invitation_digest is not null then a.invitation_expires_at end as invited_until,
  (
    select count(*)
    from admin_sessions s
    where s.admin_id = a.id and s.revoked_at is null and s.expires_at > now()
  ) as open_sessions,
  (select max(s.seen_at) from admin_sessions s where s.admin_id = a.id) as last_seen_at, a.created_at
from admins a;
comment on view ops.operators is 'Operators: role, authenticator, sessions, and until when an invitation is valid.';
