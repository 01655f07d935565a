create or replace view ops.intents_in_doubt as
with jobs as materialized (
  select j.intent_id, min(j.run_at) as next_at
  from ops.jobs j
  where j.intent_id is not null and not j.is_dead
  group by j.intent_id
)
select d.intent_id, d.kind, d.owner, d.unknown_because as because, d.reconcile_attempts, d.sending_at,
  extract(epoch from now() - d.sending_at)::integer as sent_s_ago,
  j.next_at as next_reconcile_at, d.created_at
from ops.intents d
left join jobs j on j.intent_id = d.intent_id
where d.phase = 'in_doubt'
order by d.sending_at;
comment on view ops.intents_in_doubt is
  'Intents in doubt, oldest first. They are reconciled automatically. because: the result of the last call or look-up. If next_reconcile_at is '
  'null, none is planned: rerun the intent.';
