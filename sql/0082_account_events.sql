-- What happens in a prop account, in the order in which it becomes true, for those who follow it.
create table account_logs (
  prop_account_id text primary key,
  last_position bigint not null
);

create table account_events (
  prop_account_id text not null,
  position bigint not null,
  type text not null constraint account_events_type_known check (type in ('order', 'position', 'account')),
  data jsonb not null,
  created_at timestamptz not null,
  primary key (prop_account_id, position)
);
create index account_events_by_age on account_events (created_at);

comment on table account_logs is 'The end of each account''s log; whoever writes an event holds the row until the commit, so places have no gaps.';

-- Writes one event at the end of an account's log. Take no lock after it that others hold before it: the triggers below come to
-- it when everything else of their transaction is done.
create function record_account_event(account text, of_type text, about jsonb) returns void
language plpgsql as $$
declare
  place bigint;
begin
  insert into account_logs as l (prop_account_id, last_position)
  values (account, 1)
  on conflict (prop_account_id) do update set last_position = l.last_position + 1
  returning last_position into place;
  insert into account_events (prop_account_id, position, type, data, created_at)
  values (account, place, of_type, about, clock_timestamp());
  perform pg_notify('account_events', account);
end $$;

-- What an order event says: of a verb that has ended, or with action `lifecycle` of what a resting order has become.
create function order_event(verb text, order_id uuid, i intents) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'order_uuid', order_id,
    'intent_id', i.id,
    'action', verb,
    'status', case when i.id is null or i.state = 'succeeded' then 'completed' else 'failed' end,
    'lifecycle', o.lifecycle,
    'trade_pair', coalesce(o.pair, i.asked ->> 'trade_pair', i.asked -> 'protection' ->> 'trade_pair'),
    'execution_type', o.terms ->> 'execution_type',
    'order_type', o.terms ->> 'order_type',
    'code', i.outcome -> 'problem' ->> 'code',
    'message', coalesce(i.outcome -> 'problem' ->> 'message', i.outcome -> 'result' ->> 'message'),
    'executed', coalesce(o.executed, nullif(i.outcome -> 'result' -> 'executed', 'null'::jsonb))
  )
  from (select 1) as always
  left join orders o on o.id = order_id
$$;

-- Deferred to the end of its transaction, when the order stands as the verb left it. Of the intent only what matters is read anew.
create function tell_verb_ended() returns trigger
language plpgsql as $$
declare
  about uuid := coalesce(new.outcome -> 'result' ->> 'order_uuid', new.asked ->> 'target', new.id::text)::uuid;
begin
  perform record_account_event(new.asked ->> 'prop_account_id', 'order', order_event(split_part(new.kind, '/', 2), about, new));
  perform plan_watch(new.asked ->> 'prop_account_id', 0);
  return null;
end $$;
create constraint trigger tell_verb_ended after update of state on intents
  deferrable initially deferred
  for each row when (
    new.kind like 'orders/%' and new.state in ('succeeded', 'failed', 'expired') and old.state <> new.state
      and new.asked ? 'prop_account_id'
  )
  execute function tell_verb_ended();

create function tell_lifecycle() returns trigger
language plpgsql as $$
begin
  perform record_account_event(a.id, 'order', order_event('lifecycle', new.id, null))
  from prop_accounts a
  where a.synthetic_hotkey = new.trader and a.owner = new.owner;
  return null;
end $$;
create constraint trigger tell_lifecycle after update of lifecycle on orders
  deferrable initially deferred
  for each row when (old.lifecycle = 'resting' and new.lifecycle is distinct from old.lifecycle)
  execute function tell_lifecycle();

create function tell_account_moved() returns trigger
language plpgsql as $$
begin
  perform record_account_event(new.id, 'account', jsonb_build_object(
    'prop_account_id', new.id,
    'status', new.status,
    'account_size', new.account_size,
    'failure_reason', new.failure_reason
  ));
  return null;
end $$;
create constraint trigger tell_account_moved after update of status on prop_accounts
  deferrable initially deferred
  for each row when (old.status <> new.status)
  execute function tell_account_moved();

-- Events of an account behind a place, oldest first. `data` as text: it goes out as it is.
create function account_events_after(account text, place bigint, most integer)
returns table ("position" bigint, type text, data text)
language sql stable as $$
  select e.position, e.type, e.data::text
  from account_events e
  where e.prop_account_id = account and e.position > place
  order by e.position
  limit most
$$;

-- Where an account's log ends, and whether everything behind a place is still kept.
create function account_log_end(account text, place bigint) returns table (last_position bigint, is_whole boolean)
language sql stable as $$
  select coalesce(l.last_position, 0), place <= coalesce(l.last_position, 0) and (
    place = coalesce(l.last_position, 0)
    or exists (select from account_events e where e.prop_account_id = account and e.position = place + 1)
  )
  from (select 1) as always
  left join account_logs l on l.prop_account_id = account
$$;
