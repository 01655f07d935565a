-- Records requests that a web process has responded to ([{owner, at_ms, operation, method, status, code, request_id, intent_id, caller, credential,
-- ms}]): of each owner at most `most` one by one, failures first, and all in the counts of their days. Numbers them for each owner apart. Locks the
-- owners in the order of their hashes, then the counts in the order of their keys. Notes the last use of partner keys and client secrets; one that
-- another process notes at that moment is left to it.
create or replace function record_requests(batch jsonb, most integer) returns void
language sql as $$
  select pg_advisory_xact_lock(884425, o.hash)
  from (
    select distinct hashtext(r.owner) as hash
    from jsonb_to_recordset(batch) as r (owner text)
    order by 1
  ) o;

  insert into api_requests (owner, id, at, operation, method, status, code, request_id, intent_id, caller, ms)
  select r.owner,
    coalesce((select max(a.id) from api_requests a where a.owner = r.owner), 0) + row_number() over (partition by r.owner order by r.at),
    r.at, r.operation, r.method, r.status, r.code, r.request_id, r.intent_id, r.caller, r.ms
  from (
    select b.owner, to_timestamp(b.at_ms / 1000.0) as at, b.operation, b.method, b.status, b.code, b.request_id, b.intent_id, b.caller, b.ms,
      row_number() over (partition by b.owner order by b.status >= 400 desc, b.at_ms) as n
    from jsonb_to_recordset(batch) as b (
      owner text, at_ms double precision, operation text, method text, status smallint, code text, request_id text, intent_id uuid, caller text,
      ms real
    )
  ) r
  where r.n <= most;

  insert into api_usage as u (owner, day, operation, status_class, requests)
  select r.owner, (to_timestamp(r.at_ms / 1000.0) at time zone 'utc')::date, r.operation, r.status / 100, count(*)
  from jsonb_to_recordset(batch) as r (owner text, at_ms double precision, operation text, status smallint)
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (owner, day, operation, status_class) do update set requests = u.requests + excluded.requests;

  update partner_keys k
  set last_used_at = now()
  where k.id in (
    select p.id
    from partner_keys p
    where p.id in (select r.credential from jsonb_to_recordset(batch) as r (credential text))
      and (p.last_used_at is null or p.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  );

  update app_secrets s
  set last_used_at = now()
  where s.id in (
    select p.id
    from app_secrets p
    where p.id in (select r.credential from jsonb_to_recordset(batch) as r (credential text))
      and (p.last_used_at is null or p.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  )
$$;
