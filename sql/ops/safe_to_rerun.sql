create or replace function ops.safe_to_rerun(intent uuid) returns table (
  verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select j.verdict, j.verdict in ('queued_again', 'reconcile_again', 'send_again', 'finished'), i.sending_at is not null, ops.upstream_result(i),
    case
      when j.verdict = 'send_again' and i.kind in ('kyc/session', 'payouts/account', 'payouts/link')
        then 'a worker sends it again under the same key: it acts now if it never arrived'
      when j.verdict = 'send_again'
        then 'a worker looks for it at the processor; if it is not there, it is sent again under the same key and acts now'
      when j.verdict = 'reconcile_again' then 'a worker sends nothing and reads at the upstream what it did'
      when j.verdict = 'queued_again' and i.deadline_at <= now() then 'a worker ends it as expired: its deadline has passed'
      when j.verdict = 'queued_again' then 'a worker sends it, for the first time'
      else 'nothing'
    end,
    j.reason
  from intents i
  cross join lateral ops.assess_rerun(i) j
  where i.id = intent
$$;
comment on function ops.safe_to_rerun(uuid) is
  'What a re-run of an intent would do, and whether it is safe. Verdicts: queued_again, reconcile_again, send_again (under the same key at the '
  'processor), finished (nothing to do), would_act_twice, at_work. Also whether it was sent, and the upstream''s result so far. Changes nothing.';
