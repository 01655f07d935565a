-- Internal to the kit: a verdict and its reason. A sent intent without a task that reconciles it is left to operators. Otherwise the
-- holder of its job decides, then its lane, then whether it was sent. The job: the best one of its task that is not dead; nulls: it has none.
-- The 23 hours are those of src/intents/replay.ts: a test compares them.
create or replace function ops.assess_rerun(
  i intents, is_held boolean, run_at timestamptz, locked_at timestamptz, out verdict text, out reason text
)
language plpgsql stable as $$
declare
  code text := i.outcome -> 'problem' ->> 'code';
  behind uuid := ops.waits_behind(i);
  is_repeated boolean := i.sending_at is not null and split_part(i.kind, '/', 1) in ('payments', 'payouts', 'kyc');
begin
  if i.settled_at is not null then
    verdict := case when is_undecided(i.outcome) then 'would_act_twice' else 'finished' end;
    reason := case
      when verdict = 'would_act_twice'
        then format('it ended as %s: the upstream may have acted. Check the upstream; then attach, refund or abandon', code)
      when i.state = 'succeeded' then 'it has succeeded'
      when i.state = 'expired' then 'it was too late to send it; submit it again if it is still wanted'
      else format('it has failed permanently: %s; submit it again if it is still wanted', code)
    end;
    return;
  end if;
  if i.sending_at is not null and not exists (select from intent_kinds k where k.kind = i.kind) then
    verdict := 'would_act_twice';
    reason := 'it was sent, and no task is known that can reconcile it';
    return;
  end if;
  if is_repeated and i.sending_at < now() - interval '23 hours' then
    verdict := 'would_act_twice';
    reason := format('it was sent %s h ago, and the processor keeps its key for 24 h: a repeat could act twice. A worker looks for it '
      'in the processor''s lists once more and then ends it', floor(extract(epoch from now() - i.sending_at) / 3600));
    return;
  end if;
  if is_held then
    verdict := 'at_work';
    reason := format('a living worker has had it for %s s', extract(epoch from now() - locked_at)::integer);
  elsif behind is not null then
    verdict := 'at_work';
    reason := format('it waits its turn in %s behind %s; that one may be re-run', i.lane, behind);
  elsif run_at is not null and i.state <> 'in_doubt' then
    verdict := 'at_work';
    reason := format('its job is queued%s; workers alive: %s', case when run_at > now()
        then format(' and due in %s s', ceil(extract(epoch from run_at - now()))) end,
      (select count(*) from worker_processes w cross join worker_limits() l where w.seen_at >= now() - make_interval(secs => l.stopped_s)));
  else
    verdict := case when i.sending_at is null then 'queued_again' when is_repeated then 'send_again' else 'reconcile_again' end;
    reason := case
      when i.sending_at is null then 'nothing was sent, and no worker has it'
      when is_repeated then 'it may have been sent; the processor still keeps its key and acts on a key once'
      else 'it may have been sent: only reconciling is safe'
    end;
  end if;
end $$;
comment on function ops.assess_rerun is 'Internal to the kit.';
