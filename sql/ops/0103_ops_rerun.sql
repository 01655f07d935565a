-- Of the kit's inside: the task that looks an intent up once it may have been sent; null where there is none.
create function ops.look_task(kind text) returns text
language sql immutable as $$
  select known.task
  from unnest(array[
    'orders/reconcile', 'orders/exvenue/reconcile', 'accounts/reconcile', 'payments/reconcile', 'payouts/reconcile', 'kyc/reconcile',
    'registration/reconcile'
  ]) as known (task)
  where known.task = regexp_replace(kind, '[^/]+$', 'reconcile')
$$;
comment on function ops.look_task is 'Of the kit''s inside.';

-- Of the kit's inside: the task an open intent is at.
create function ops.task_of(i intents) returns text
language sql immutable as $$
  select case when i.state = 'in_doubt' then ops.look_task(i.kind) else i.kind end
$$;
comment on function ops.task_of is 'Of the kit''s inside.';

-- Of the kit's inside: who is before an intent in its lane; null where it is its turn.
create function ops.waits_behind(i intents) returns uuid
language sql stable as $$
  select nullif(coalesce(
    (
      select h.id
      from lanes l
      join intents h on h.id = l.head and h.state in ('queued', 'running')
      where l.name = i.lane
    ),
    (
      select f.id
      from intents f
      where f.lane = i.lane and f.state in ('queued', 'running')
      order by f.position
      limit 1
    )
  ), i.id)
  where i.lane is not null and i.state in ('queued', 'running')
$$;
comment on function ops.waits_behind is 'Of the kit''s inside.';

-- Of the kit's inside: the party's word so far, as our records hold it. Of results nothing is shown: some let their holder act.
create function ops.party_says(i intents) returns text
language sql immutable as $$
  select case
    when i.state = 'succeeded' then 'yes'
    when p.code in ('SUBACCOUNT_AMBIGUOUS', 'PROCESSOR_SILENT') then 'nothing that decides it: ' || p.code
    when p.code = 'NOT_CARRIED_OUT' then 'it knows nothing of it'
    when i.state = 'failed' and i.sending_at is not null then 'no: ' || concat_ws(', ', p.code, p.reason)
    when i.state = 'in_doubt' then format('nothing readable yet, after %s looks', i.looks)
    when i.state in ('queued', 'running') and i.sending_at is null and p.code is not null then 'not asked; last try: ' || p.code
  end
  from (select i.outcome -> 'problem' ->> 'code' as code, i.outcome -> 'problem' ->> 'reason' as reason) p
$$;
comment on function ops.party_says is 'Of the kit''s inside.';

-- Of the kit's inside: a verdict and why. Who holds a job of its task decides first, then the lane, then what was sent.
create function ops.judge(i intents, out verdict text, out reason text)
language plpgsql stable as $$
declare
  code text := i.outcome -> 'problem' ->> 'code';
  behind uuid := ops.waits_behind(i);
  job record;
begin
  if i.settled_at is not null then
    verdict := case when code in ('SUBACCOUNT_AMBIGUOUS', 'PROCESSOR_SILENT') then 'would_act_twice' else 'finished' end;
    reason := case
      when verdict = 'would_act_twice' then format('it ended as %s: the party may have acted. Look there; then attach, refund or give up', code)
      when i.state = 'succeeded' then 'it has succeeded'
      when i.state = 'expired' then 'it was too late to send it; whoever wants it still asks again'
      else format('it has failed for good: %s; whoever wants it still asks again', code)
    end;
    return;
  end if;
  if i.sending_at is not null and ops.look_task(i.kind) is null then
    verdict := 'would_act_twice';
    reason := 'it was sent, and no task is known that can look it up';
    return;
  end if;

  select j.is_held, j.run_at, j.locked_at into job
  from ops.jobs j
  where j.intent_id = i.id and j.task = ops.task_of(i) and not j.is_dead and (j.is_held or j.locked_at is null)
  order by j.is_held desc, j.run_at
  limit 1;
  if job.is_held then
    verdict := 'at_work';
    reason := format('a living worker has had it for %s s', extract(epoch from now() - job.locked_at)::integer);
  elsif behind is not null then
    verdict := 'at_work';
    reason := format('it waits its turn in %s behind %s; that one may be re-run', i.lane, behind);
  elsif job.run_at is not null and i.state <> 'in_doubt' then
    verdict := 'at_work';
    reason := format('its job is queued%s; workers alive: %s', case when job.run_at > now()
        then format(' and due in %s s', ceil(extract(epoch from job.run_at - now()))) end,
      (select count(*) from worker_processes w where w.seen_at >= now() - interval '8 seconds'));
  else
    verdict := case when i.sending_at is null then 'queued_again' else 'look_again' end;
    reason := case
      when i.sending_at is null then 'nothing was sent, and nobody is at it'
      else 'it may have been sent: only looking is safe'
    end;
  end if;
end $$;
comment on function ops.judge is 'Of the kit''s inside.';

create function ops.safe_to_rerun(intent uuid) returns table (
  verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select j.verdict, j.verdict in ('queued_again', 'look_again', 'finished'), i.sending_at is not null, ops.party_says(i),
    case
      when j.verdict = 'look_again' and split_part(i.kind, '/', 1) in ('payments', 'payouts', 'kyc')
        then 'a worker asks the processor again under the same key, which answers as it did before'
      when j.verdict = 'look_again' then 'a worker sends nothing and asks the party what came of it'
      when j.verdict = 'queued_again' and i.deadline_at <= now() then 'a worker ends it as expired: its deadline has passed'
      when j.verdict = 'queued_again' then 'a worker sends it, for the first time'
      else 'nothing'
    end,
    j.reason
  from intents i
  cross join lateral ops.judge(i) j
  where i.id = intent
$$;
comment on function ops.safe_to_rerun(uuid) is
  'What a re-run of an intent would do, and whether it is safe: queued_again, look_again, finished (nothing to do), would_act_twice, at_work. Was it sent, and what does the party say so far? Changes nothing.';

-- Of the kit's inside: gives an intent that nobody is at a job that is due now, and its place in the lane.
create function ops.put_to_work(i intents) returns void
language plpgsql as $$
declare
  wanted text := ops.task_of(i);
  planned bigint[];
begin
  if i.lane is not null and i.state in ('queued', 'running') then
    insert into lanes (name, head)
    values (i.lane, i.id)
    on conflict (name) do update set head = excluded.head;
  end if;
  perform graphile_worker.force_unlock_workers(array(
    select distinct j.locked_by
    from ops.jobs j
    where j.intent_id = i.id and j.task = wanted and j.locked_at is not null
  ));
  perform graphile_worker.complete_jobs(array(
    select j.job_id
    from ops.jobs j
    where j.intent_id = i.id and j.is_dead
  ));
  planned := array(
    select j.job_id
    from ops.jobs j
    where j.intent_id = i.id and j.task = wanted and j.locked_at is null
  );
  if cardinality(planned) > 0 then
    perform graphile_worker.reschedule_jobs(planned, run_at => now());
  else
    perform graphile_worker.add_jobs(array[job_for(wanted, i.id, null)]);
  end if;
end $$;
comment on function ops.put_to_work is 'Of the kit''s inside.';

create function ops.rerun(intent uuid, who text, why text) returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  i intents;
begin
  perform ops.want_who_and_why(who, why);
  select * into i from intents where id = intent for update;
  if not found then
    return;
  end if;
  perform from lanes l where l.name = i.lane for update;
  select s.* into verdict, is_safe, was_sent, venue_says, would_do, reason from ops.safe_to_rerun(intent) s;
  done := verdict in ('queued_again', 'look_again');
  if done then
    perform ops.put_to_work(i);
  end if;
  perform ops.note(who, 'rerun', intent::text, why, jsonb_build_object('done', done, 'verdict', verdict, 'was', i.state, 'reason', reason));
  return next;
end $$;
comment on function ops.rerun(uuid, text, text) is
  'Runs an intent once more where safe_to_rerun says so: unsent it is queued, sent it is only looked up, ended it stays as it is (done is false). Refused at work and where it could act twice. Always kept in ops.actions.';
