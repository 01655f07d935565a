-- Asks for another operator's approval of a request. One that is open, for the same request, stays the one. Returns it. Locks the operator.
create or replace function ask_for_approval(
  new_id text, of_operation text, of_subject text, of_digest bytea, of_summary jsonb, because text, needs_role text, operator text, lives_s integer
) returns setof approvals
language plpgsql as $$
begin
  perform from admins a where a.id = operator for no key update;
  return query
  select p.*
  from approvals p
  where p.digest = of_digest and p.used_at is null and p.decision is distinct from 'rejected' and p.expires_at > now()
  order by p.requested_at
  limit 1;
  if not found then
    return query
    insert into approvals as p (id, operation, subject, digest, summary, reason, role, requested_by, expires_at)
    values (new_id, of_operation, of_subject, of_digest, of_summary, because, needs_role, operator, now() + make_interval(secs => lives_s))
    returning p.*;
  end if;
end $$;
