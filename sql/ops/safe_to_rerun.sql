create or replace function ops.safe_to_rerun(intent uuid) returns table (
  verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select a.verdict, a.is_safe, a.was_sent, a.venue_says, a.would_do, a.reason
  from ops.assessments_of(array[intent]) a
$$;
comment on function ops.safe_to_rerun(uuid) is
  'What a re-run of an intent would do, and whether it is safe. Verdicts: queued_again, reconcile_again, send_again (under the same key at the '
  'processor), finished (nothing to do), would_act_twice, at_work. Also whether it was sent, and the upstream''s result so far. Changes nothing. '
  'No row: there is no such intent.';
