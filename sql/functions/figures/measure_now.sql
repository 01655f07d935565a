-- Notes what waits now, as figures of the minute that ended last, and the most of it in its five minutes.
create or replace function measure_now(budget text, capacity double precision, per_s double precision) returns void
language sql as $$
  with measured (figure, label, value) as (
    select 'intents_in_doubt', k.upstream, count(i.id)
    from intent_kinds k
    left join intents i on i.kind = k.kind and i.phase = 'in_doubt'
    group by k.upstream
    union all
    select 'oldest_job_seconds', 'queue', coalesce(max(q.oldest_ready_s), 0)
    from ops.queue_ages q
    union all
    -- Named one by one: only then the indexes over those that have not arrived are used. One receiver that is away for days leaves millions.
    values
      ('deliveries', 'pending', (
        select count(*)
        from (select from webhook_deliveries d where d.state = 'pending' order by d.endpoint_id, d.due_at limit 100000) p
      )),
      ('deliveries', 'sending', (select count(*) from webhook_deliveries d where d.state = 'sending')),
      ('deliveries', 'failed', (
        select count(*)
        from (select from webhook_deliveries d where d.state = 'failed' order by d.ended_at limit 100000) f
      ))
    union all
    select 'budget_used_ratio', 'exvenue', u.used
    from budget_used(budget, capacity, per_s) as u (used)
    where u.used is not null
  )
  insert into figures (width_s, at, figure, label, value)
  select w.width_s, date_bin(make_interval(secs => w.width_s), now() - interval '1 minute', 'epoch'), m.figure, m.label, m.value
  from measured m
  cross join (values (60), (300)) as w (width_s)
  on conflict (width_s, at, figure, label) do update set value = greatest(figures.value, excluded.value)
$$;
