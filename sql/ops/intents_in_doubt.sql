create or replace view ops.intents_in_doubt as
select d.intent_id, d.kind, d.owner, d.unknown_because as because, d.reconcile_attempts, d.sending_at,
  extract(epoch from now() - d.sending_at)::integer as sent_s_ago,
  (
    select min(j.run_at)
    from ops.jobs j
    where j.intent_id = d.intent_id and not j.is_dead
  ) as next_reconcile_at,
  d.created_at
from ops.intents d
where d.phase = 'in_doubt'
order by d.sending_at;
comment on view ops.intents_in_doubt is
  'Intents in doubt, oldest first. They are reconciled automatically. because: the result of the last call or look-up. If next_reconcile_at is '
  'null, none is planned: rerun the intent.';
