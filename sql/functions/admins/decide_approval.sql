-- Approves or rejects a request of another operator. `roles`: those that the decider has. `session`: the decider's. Verdicts: done | unknown | self |
-- role (it needs one that the decider has not) | decided (already, or it has expired) | ended (the session has, meanwhile). Locks the decider, then
-- the approval: what ends the decider's sessions withdraws the decision, or is seen here.
create or replace function decide_approval(
  approval text, operator text, roles text[], is_approved boolean, because text, session text default null
) returns text
language plpgsql as $$
declare
  asked approvals;
begin
  perform from admins a where a.id = operator for share;
  if exists (select from admin_sessions s where s.id = session and s.revoked_at is not null) then
    return 'ended';
  end if;
  select p.* into asked from approvals p where p.id = approval for update;
  if asked.id is null then
    return 'unknown';
  elsif asked.requested_by = operator then
    return 'self';
  elsif not asked.role = any(roles) then
    return 'role';
  elsif asked.decision is not null or asked.expires_at <= now() then
    return 'decided';
  end if;
  update approvals p
  set decision = case when is_approved then 'approved' else 'rejected' end, decided_by = operator, decided_at = now(),
    decided_because = because
  where p.id = approval;
  return 'done';
end $$;
