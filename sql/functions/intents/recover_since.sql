-- Prepares a database that was restored from a backup of `backed_up_at`, before any worker runs on it. An open intent that it shows as unsent
-- may have been sent after the backup: from now on it is looked for at its upstream and never sent, however late. One that was already being
-- sent is looked for anyway. Nonces continue from the present time, above all that were used since. Returns the intents by kind. If it was recovered
-- after that time before, and a worker runs on it, it is at work again: nothing is written, because what is open in it was accepted since. A
-- recovery that the backup itself shows was before its time.
create or replace function recover_since(backed_up_at timestamptz) returns table (kind text, intents integer)
language plpgsql as $$
begin
  if exists (select from recoveries r where r.recovered_at > backed_up_at) and exists (
    select
    from worker_processes w, worker_limits() l
    where w.pool_ids <> '{}' and w.seen_at > now() - make_interval(secs => l.stopped_s)
  ) then
    return;
  end if;
  insert into recoveries (since) values (backed_up_at);
  update signer_nonces
  set last_nonce = greatest(last_nonce, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  -- positions of events that were lost are not given again: a reader that has seen them would miss what has them now, and begins anew
  update event_logs set last_position = last_position + 1000000000;
  update account_logs set last_position = last_position + 1000000000;
  return query
  with presumed as (
    update intents i
    set presumed_sent_at = i.created_at, state = 'queued', fence = i.fence + 1,
      deadline_at = greatest(i.deadline_at, now() + interval '1 day')
    where i.settled_at is null and i.phase = 'pending' and i.sending_at is null and i.presumed_sent_at is null
    returning i.kind
  )
  select p.kind, count(*)::integer
  from presumed p
  group by p.kind
  order by p.kind;
end $$;
