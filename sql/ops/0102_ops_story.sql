-- What an intent belongs to: ids only.
create function ops.about(intent uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'order_uuid', coalesce(o.id::text, case when i.kind like 'orders/%' then i.asked ->> 'target' end),
    'trader', case when i.kind like 'orders/%' then i.asked ->> 'trader' end,
    'prop_account_id', coalesce(a.id, po.prop_account_id, i.asked ->> 'prop_account_id'),
    'payment_id', coalesce(p.id, a.payment_id, i.asked ->> 'payment_id'),
    'payout_id', coalesce(po.id, i.asked ->> 'payout_id'),
    'registration_id', r.id,
    'user_id', coalesce(a.user_id, p.user_id, po.user_id, i.asked ->> 'user_id')
  ))
  from intents i
  left join orders o on o.id = i.id
  left join prop_accounts a on a.intent_id = i.id
  left join payments p on p.intent_id = i.id
  left join payouts po on i.id in (po.submit_intent_id, po.pay_intent_id)
  left join registrations r on r.id = i.id
  where i.id = intent
$$;
comment on function ops.about is 'The ids of what an intent belongs to: order, trader, prop account, payment, payout, registration, user.';

-- Of the kit's inside: what became of the nouns that an intent belongs to.
create function ops.story_of_nouns(ids jsonb, i intents) returns table (at timestamptz, what text, detail text)
language sql stable as $$
  select o.created_at, 'order', format('%s %s, at the venue %s%s', o.venue, o.pair, o.handle, ', now ' || o.lifecycle)
  from orders o
  where o.id = case when ids ->> 'order_uuid' ~ '^[0-9a-f-]{36}$' then (ids ->> 'order_uuid')::uuid end
  union all
  select s.created_at, 'subaccount made', format('%s, %s', s.synthetic_hotkey, s.status)
  from subaccounts s
  where s.intent_id = i.id
  union all
  select a.status_at, 'prop account', format('%s is %s%s', a.id, a.status, ': ' || a.failure_reason)
  from prop_accounts a
  where a.id = ids ->> 'prop_account_id'
  union all
  select a.given_up_at, 'prop account given up', format('by %s: %s', a.given_up_by, a.given_up_why)
  from prop_accounts a
  where a.id = ids ->> 'prop_account_id' and a.given_up_at is not null
  union all
  select t.at, 'payment', format('%s %s', p.id, t.word)
  from payments p
  cross join lateral (values
    (p.created_at, 'asked for'), (p.paid_at, 'paid'), (p.refunded_at, 'refunded'), (p.disputed_at, 'disputed')
  ) as t (at, word)
  where p.id = ids ->> 'payment_id' and t.at is not null
  union all
  select t.at, 'payout', format('%s %s', p.id, t.word)
  from payouts p
  cross join lateral (values
    (p.requested_at, 'asked for'), (p.submitted_at, 'submitted'), (p.completed_at, 'completed'), (p.returned_at, 'returned')
  ) as t (at, word)
  where p.id = ids ->> 'payout_id' and t.at is not null
  union all
  select r.updated_at, 'registration', format('%s is %s%s', r.ex_address, r.status, ', paid by ' || r.tx_hash)
  from registrations r
  where r.id = i.id
$$;
comment on function ops.story_of_nouns is 'Of the kit''s inside.';

-- Of the kit's inside: the events that name what an intent belongs to, told within an hour of its end.
create function ops.story_of_events(ids jsonb, i intents) returns table (at timestamptz, what text, detail text)
language sql stable as $$
  (
    select e.created_at, 'event', format('%s %s%s', e.type, e.id, (
      select ', deliveries: ' || string_agg(format('%s %s', n.count, n.state), ', ' order by n.state)
      from (
        select d.state, count(*)
        from webhook_deliveries d
        where d.event_id = e.id
        group by d.state
      ) n
    ))
    from events e
    where e.app = i.owner
      and e.created_at between i.created_at and coalesce(i.settled_at, now()) + interval '1 hour'
      and exists (
        select
        from jsonb_each_text(ids - 'user_id' - 'trader') as named (member, id)
        where strpos(e.body, named.id) > 0
      )
    order by e.created_at
    limit 50
  )
  union all
  select e.created_at, 'told the stream', format('%s %s, %s', e.type, e.data ->> 'action', e.data ->> 'status')
  from account_events e
  where e.prop_account_id = ids ->> 'prop_account_id' and e.data ->> 'intent_id' = i.id::text
$$;
comment on function ops.story_of_events is 'Of the kit''s inside.';

create function ops.story(intent uuid) returns table (at timestamptz, what text, detail text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  i intents;
  ids jsonb := ops.about(intent);
begin
  select * into i from intents where id = intent;
  if not found then
    return;
  end if;
  return query
  select s.at, s.what, s.detail
  from (
    select 1 as place, i.created_at as at, 'accepted' as what,
      format('%s for %s%s, to be sent by %s UTC', i.kind, i.owner, ' (request ' || i.request_id || ')',
        to_char(i.deadline_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')) as detail
    union all
    select 2, i.sending_at, 'sent', 'from here on bytes may have left'
    where i.sending_at is not null
    union all
    select 3, i.settled_at, i.state, concat_ws(', ', i.outcome -> 'problem' ->> 'code', i.outcome -> 'problem' ->> 'reason',
      format('after %s claims and %s looks', i.tries, i.looks))
    where i.settled_at is not null
    union all
    select 4, n.at, n.what, n.detail from ops.story_of_nouns(ids, i) n
    union all
    select 5, e.at, e.what, e.detail from ops.story_of_events(ids, i) e
    union all
    select 6, a.at, 'operator', format('%s %s: %s', a.who, a.action, concat_ws(', ', a.detail ->> 'verdict', a.why))
    from ops.actions a
    where a.subject in (i.id::text, ids ->> 'prop_account_id', ids ->> 'payment_id')
    union all
    select 7, now(), 'lane', format('%s: %s, %s queued', l.lane,
      case when l.head = i.id then 'at its head' else coalesce('behind ' || l.head, 'nobody at its head') end, l.waiting)
    from ops.lanes l
    where l.lane = i.lane and i.state in ('queued', 'running')
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
    select 9, now(), 'now', format('%s, after %s claims and %s looks%s', i.state, i.tries, i.looks, ', last ' || (i.outcome -> 'problem' ->> 'code'))
    where i.settled_at is null
  ) s
  order by s.at, s.place;
end $$;
comment on function ops.story(uuid) is
  'One intent''s whole story, oldest first: accepted, sent, ended, what it belongs to, events, operators'' actions, and how its lane and job stand now. No row: there is no such intent.';
