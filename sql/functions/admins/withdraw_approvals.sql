-- Withdraws what an operator has asked others to approve, and what the operator has approved for others, if it was not used yet: somebody else may
-- have done it, or the operator may do it no more.
create or replace function withdraw_approvals(operator text) returns void
language sql as $$
  update approvals p
  set expires_at = now()
  where (p.requested_by = operator or p.decided_by = operator) and p.used_at is null and p.expires_at > now()
$$;
