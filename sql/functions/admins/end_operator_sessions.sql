-- Ends the sessions of an operator, and withdraws what they may have asked others to approve, or approved: see withdraw_approvals. Returns how many
-- were open. Locks the operator first, against a decision that is being made.
create or replace function end_operator_sessions(operator text) returns integer
language sql as $$
  select from admins a where a.id = operator for no key update;

  select withdraw_approvals(operator);

  with ended as (
    update admin_sessions s
    set revoked_at = now()
    where s.admin_id = operator and s.revoked_at is null
    returning s.expires_at > now() as is_open
  )
  select count(*) filter (where e.is_open)::integer
  from ended e
$$;
