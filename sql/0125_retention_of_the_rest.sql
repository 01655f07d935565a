-- The other half of retention: what was told, and who was let in. The functions are as those of intents are.

-- Where ids of `sortable_id` stand that are made at a moment.
create function sortable_from(prefix text, moment timestamptz) returns text
language sql immutable as $$
  select prefix || '_' || lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
$$;

-- Events whose deliveries have all ended that long ago, with those deliveries and their attempts: an event without one of its
-- deliveries would look as if the endpoint had missed it.
create function prune_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select v.id
    from events v
    where v.id < sortable_from('evt', now() - make_interval(secs => kept_s))
      and not exists (
        select
        from webhook_deliveries d
        where d.event_id = v.id
          and (d.ended_at is null or d.ended_at >= now() - make_interval(secs => kept_s))
      )
    order by v.id
    limit most
    for update skip locked
  ), attempts_gone as (
    delete from webhook_attempts a
    where a.delivery_id = any (array(
      select d.id
      from webhook_deliveries d
      where d.event_id = any (array(select id from old))
    ))
  ), deliveries_gone as (
    delete from webhook_deliveries d
    where d.event_id = any (array(select id from old)) and d.ended_at is not null
  ), gone as (
    delete from events v
    where v.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

create function prune_mails(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select m.id
    from mails m
    where m.created_at < now() - make_interval(secs => kept_s)
      and m.state <> 'queued'
    order by m.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from mails m
    where m.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

-- What the processor told, once it was acted on or nobody could. Failed tries stay: they are part of their payment's timeline.
create function prune_processor_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select e.id
    from processor_events e
    where e.received_at < now() - make_interval(secs => kept_s)
      and e.outcome is not null
      and (e.payment_id is null or e.type <> 'payment_intent.payment_failed')
    order by e.received_at
    limit most
    for update skip locked
  ), gone as (
    delete from processor_events e
    where e.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

-- Jobs the queue has given up. What they were for is open by its own row, and gets a new job by that.
create function prune_dead_jobs(kept_s double precision, most integer) returns bigint
language sql as $$
  select count(*)
  from graphile_worker.complete_jobs(array(
    select j.id
    from graphile_worker.jobs j
    where j.attempts >= j.max_attempts
      and j.locked_at is null
      and j.updated_at < now() - make_interval(secs => kept_s)
    order by j.id
    limit most
  ))
$$;

create function prune_user_sessions(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from user_sessions s
    where s.expires_at < now() - make_interval(secs => kept_s)
    order by s.expires_at
    limit most
    for update skip locked
  ), gone as (
    delete from user_sessions s
    where s.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

create function prune_admin_sessions(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from admin_sessions s
    where s.expires_at < now() - make_interval(secs => kept_s)
    order by s.expires_at
    limit most
    for update skip locked
  ), gone as (
    delete from admin_sessions s
    where s.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

-- Links that a newer one has replaced; the newest of each app stays, since its request shows how it stands.
create function prune_reveal_links(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select l.id
    from reveal_links l
    where l.superseded_at is not null
      and l.expires_at < now() - make_interval(secs => kept_s)
    limit most
    for update skip locked
  ), gone as (
    delete from reveal_links l
    where l.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
