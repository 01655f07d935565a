-- Answers of writes that need no intent, kept under the caller's Idempotency-Key. They may show a secret once: sealed.
create table kept_answers (
  caller text not null,
  key text not null,
  digest bytea not null,
  status integer,
  sealed bytea,
  created_at timestamptz not null default now(),
  primary key (caller, key),
  constraint kept_answers_whole check ((status is null) = (sealed is null))
);
create index kept_answers_by_age on kept_answers (created_at);

comment on column kept_answers.status is 'Null while the first request is under way, or was abandoned.';

-- Reserves a key for a request, or tells what it stands for. Verdict: fresh | under_way | kept | key_reused.
-- A reservation that nobody answered within `abandoned_s` is free again.
create function reserve_key(of_caller text, of_key text, request bytea, abandoned_s double precision)
returns table (verdict text, status integer, sealed bytea)
language plpgsql as $$
declare
  kept kept_answers;
begin
  insert into kept_answers as k (caller, key, digest)
  values (of_caller, of_key, request)
  on conflict (caller, key) do update set created_at = now()
  where k.status is null and k.digest = excluded.digest and k.created_at < now() - make_interval(secs => abandoned_s)
  returning * into kept;
  if found then
    return query select 'fresh', null::integer, null::bytea;
    return;
  end if;
  select * into kept from kept_answers k where k.caller = of_caller and k.key = of_key;
  return query select
    case when kept.digest <> request then 'key_reused' when kept.status is null then 'under_way' else 'kept' end,
    kept.status, kept.sealed;
end $$;
