-- Appends events of one type to the log of an app or a partner, in the order given. Positions are assigned under the lock on the log's end
-- and become visible in order, so a reader that has seen a position has seen all positions before it. The followers of a partner's log are
-- notified. `from_origin`: service, or app for an event that the app itself had sent. Take no lock after it that others take before it.
create or replace function record_events(of_owner text, of_type text, payloads jsonb[], from_origin text default 'service') returns setof events
language plpgsql as $$
declare
  many integer := cardinality(payloads);
  log_end bigint;
  at timestamptz;
begin
  update event_logs l set last_position = l.last_position + many where l.owner = of_owner returning last_position into log_end;
  if not found then
    insert into event_logs as l (owner, last_position)
    values (of_owner, many)
    on conflict (owner) do update set last_position = l.last_position + many
    returning last_position into log_end;
  end if;
  if starts_with(of_owner, 'ptn_') then
    perform pg_notify('account_events', of_owner);
  end if;
  at := date_trunc('milliseconds', clock_timestamp()); -- under the lock: it rises with the position
  return query
  insert into events as v (id, owner, type, position, created_at, from_app, data)
  select sortable_id('evt', at), of_owner, of_type, log_end - many + a.n, at, from_origin = 'app', a.payload::text
  from unnest(payloads) with ordinality as a (payload, n)
  returning v.*;
end $$;
