-- Uses the approval of a request, once, in the transaction that executes it. Returns it; no row without one. One that was withdrawn meanwhile is
-- none: by the clock, as this transaction may have begun before.
create or replace function use_approval(of_digest bytea) returns setof approvals
language sql as $$
  update approvals p
  set used_at = now()
  where p.id = (
    select a.id
    from approvals a
    where a.digest = of_digest and a.decision = 'approved' and a.used_at is null and a.expires_at > clock_timestamp()
    order by a.decided_at
    limit 1
  ) and p.used_at is null and p.expires_at > clock_timestamp()
  returning p.*
$$;
