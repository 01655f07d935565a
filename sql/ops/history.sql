create or replace function ops.history(intent uuid) returns table (at timestamptz, what text, detail text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  i intents;
  ids jsonb := ops.subjects_of(intent);
begin
  select * into i from intents where id = intent;
  if not found then
    return;
  end if;
  return query
  select s.at, s.what, s.detail
  from (
    select 1 as position, i.created_at as at, 'accepted' as what,
      format('%s for %s%s, to be sent by %s UTC', i.kind, i.owner, ' (request ' || i.request_id || ')',
        to_char(i.deadline_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')) as detail
    union all
    select 2, i.sending_at, 'sent', 'bytes may have left from then on'
    where i.sending_at is not null
    union all
    select 3, i.settled_at, i.state, concat_ws(', ', i.outcome -> 'problem' ->> 'code', i.outcome -> 'problem' ->> 'reason',
      format('after %s claims and %s reconcile attempts', i.attempts, i.reconcile_attempts))
    where i.settled_at is not null
    union all
    select 4, n.at, n.what, n.detail from ops.history_of_records(ids, i) n
    union all
    select 5, e.at, e.what, e.detail from ops.history_of_events(ids, i) e
    union all
    select 6, a.at, 'operator', format('%s %s: %s', a.who, a.action, concat_ws(', ', a.detail ->> 'verdict', a.why))
    from ops.actions a
    where a.subject in (i.id::text, ids ->> 'prop_account_id', ids ->> 'payment_id', ids ->> 'payout_id')
    union all
    select 7, now(), 'lane', format('%s: %s, %s queued', l.lane,
      case when l.head = i.id then 'at its head' else coalesce('behind ' || l.head, 'without a head') end, l.waiting)
    from ops.lanes l
    where l.lane = i.lane and i.phase = 'pending'
    union all
    select 8, now(), 'job', format('%s, attempt %s of %s, %s%s', j.task, j.attempts, j.max_attempts,
      case
        when j.is_dead then 'given up'
        when j.is_held then 'under way'
        when j.locked_at is not null then 'held by a dead worker'
        else 'due ' || to_char(j.run_at at time zone 'utc', 'HH24:MI:SS') || ' UTC'
      end, '; it said: ' || j.last_error)
    from ops.jobs j
    where j.intent_id = i.id
    union all
    select 9, now(), 'waits for', concat(w.reason, ': ' || w.detail, ', until ' || to_char(w.until at time zone 'utc', 'HH24:MI:SS') || ' UTC')
    from ops.why(intent) w
    union all
    select 10, now(), 'now', format(
      '%s, after %s claims and %s reconcile attempts%s', i.state, i.attempts, i.reconcile_attempts,
      concat(', last ' || (i.outcome -> 'problem' ->> 'code'), ', in doubt: ' || i.unknown_because)
    )
    where i.settled_at is null
  ) s
  order by s.at, s.position;
end $$;
comment on function ops.history(uuid) is
  'The full story of one intent, oldest first: accepted, sent, ended, the objects it belongs to, events, operators'' actions, and the present '
  'state of its lane and job, and what it waits for. No row: there is no such intent.';
