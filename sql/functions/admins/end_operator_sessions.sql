-- Ends the sessions of an operator. Returns how many were open.
create or replace function end_operator_sessions(operator text) returns integer
language sql as $$
  with ended as (
    update admin_sessions s
    set revoked_at = now()
    where s.admin_id = operator and s.revoked_at is null
    returning s.expires_at > now() as is_open
  )
  select count(*) filter (where e.is_open)::integer
  from ended e
$$;
