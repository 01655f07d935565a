-- What happened in an app, in the order in which it became true. Each event is written by the transaction that makes it true.
create table event_logs (
  app text primary key,
  last_position bigint not null
);

create table events (
  id text primary key,
  app text not null,
  type text not null,
  position bigint not null,
  body text not null,
  created_at timestamptz not null,
  constraint events_place_once unique (app, position)
);
create index events_by_time on events (app, created_at);

comment on table event_logs is 'The end of each app''s log; whoever writes an event holds the row until the commit, so places have no gaps.';
comment on column events.body is 'The envelope, byte for byte as it is signed and sent: id, type, data and timestamp.';

-- A new id: the prefix, the time in milliseconds, so that new rows stay together, and 78 random bits, in 32 hexadecimal digits.
create function sortable_id(prefix text) returns text
language sql volatile as $$
  select prefix || '_'
    || lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 13)
$$;

-- Writes one event at the end of an app's log. A reader that has seen a place has seen every place before it, since places are
-- given out under the lock on the log's end and become visible in their order. Take no lock after it that others hold before it.
create function record_event(of_app text, of_type text, about jsonb) returns events
language plpgsql as $$
declare
  event events;
begin
  insert into event_logs as l (app, last_position)
  values (of_app, 1)
  on conflict (app) do update set last_position = l.last_position + 1
  returning last_position into event.position;
  event.id := sortable_id('evt');
  event.app := of_app;
  event.type := of_type;
  event.created_at := date_trunc('milliseconds', clock_timestamp());
  event.body := json_build_object(
    'id', event.id,
    'type', of_type,
    'data', about,
    'timestamp', to_char(event.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'));
  insert into events (id, app, type, position, body, created_at)
  values (event.id, event.app, event.type, event.position, event.body, event.created_at);
  return event;
end $$;
