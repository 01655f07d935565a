-- Internal to the kit: a verdict on a job that is for no intent, and its reason. Every task that is named here is safe to repeat: it reads
-- what is still to be done. A test compares the names with the tasks of the service.
create or replace function ops.assess_job_rerun(job bigint, out verdict text, out reason text)
language plpgsql stable as $$
declare
  j record;
begin
  select p.task, p.intent_id, p.is_dead or p.last_error is not null and p.run_at > now() as has_failed, p.is_held, q.payload into j
  from ops.jobs p
  join queue_jobs q on q.id = p.job_id
  where p.job_id = job;
  if not found then
    return;
  elsif j.intent_id is not null then
    verdict := 'would_act_twice';
    reason := format('it is for the intent %s: ops.rerun assesses that', j.intent_id);
  elsif not j.has_failed then
    verdict := 'at_work';
    reason := case when j.is_held then 'a living worker has it' else 'it is queued: a worker takes it when it is due' end;
  elsif exists (select from intent_kinds k where k.kind = j.task) then
    verdict := 'finished';
    reason := 'it names no intent, so it can do nothing';
  elsif j.task <> all (array[
    'accounts/sweep', 'accounts/sync', 'enrollments/verify', 'housekeeping/figures', 'housekeeping/forget', 'housekeeping/prune',
    'housekeeping/sweep', 'kyc/notified', 'kyc/reconcile', 'ledger/prove', 'mail/send', 'network/audit', 'exchange/audit', 'exchange/watch',
    'payments/notified', 'payments/read', 'payments/reconcile', 'payouts/notified', 'payouts/reconcile', 'registration/poll', 'trading/sweep',
    'trading/watch', 'webhooks/deliver', 'webhooks/dispatch', 'webhooks/sweep'
  ]) then
    verdict := 'would_act_twice';
    reason := format('no task %s is known, so nothing shows what it would do', j.task);
  elsif j.task = 'mail/send' and (
    select m.state
    from mails m
    where m.id = substring(j.payload ->> 'mail_id' from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid
  ) is distinct from 'queued' then
    verdict := 'finished';
    reason := 'its mail has ended';
  elsif j.task in ('payments/notified', 'kyc/notified', 'payouts/notified')
    and not exists (select from processor_events e where e.id = j.payload ->> 'event_id' and e.acted_at is null) then
    verdict := 'finished';
    reason := 'its event was applied';
  else
    verdict := 'queued_again';
    reason := case j.task
      when 'mail/send' then 'its mail has not ended. If an attempt handed it over unrecorded, the copy has the same Message-ID'
      when 'webhooks/deliver' then 'deliveries of the lane are pending; a repeat carries the same delivery id'
      else 'the task does only what is still to be done'
    end;
  end if;
end $$;
comment on function ops.assess_job_rerun is 'Internal to the kit.';
