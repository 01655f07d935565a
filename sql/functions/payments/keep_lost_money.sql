-- Keeps what the processor has and this database has no intent of. Item: kind, id, intentId, subjectId, cents, currency, status, accountId,
-- userId, appId, madeAtMs. Repeatable: status and amount are the newest, and one that was paid since is open again. Returns what was lost.
create or replace function keep_lost_money(made jsonb)
returns table (kind text, processor_id text, subject_id text, amount_cents integer, currency text, status text, user_id text)
language sql as $$
  insert into lost_money as l (
    processor_id, kind, intent_id, subject_id, amount_cents, currency, status, processor_account_id, user_id, app, made_at
  )
  select m.id, m.kind, m."intentId", m."subjectId", m.cents, m.currency, m.status, m."accountId", m."userId", m."appId",
    to_timestamp(m."madeAtMs" / 1000)
  from jsonb_to_recordset(made) as m (
    kind text, id text, "intentId" uuid, "subjectId" text, cents integer, currency text, status text, "accountId" text, "userId" text,
    "appId" text, "madeAtMs" double precision
  )
  where not exists (
    select
    from intents i
    where i.id = m."intentId"
  ) and not exists (
    select
    from payouts p
    where p.processor_transfer_id = m.id
  )
  on conflict (processor_id) do update
  set status = excluded.status, amount_cents = excluded.amount_cents, user_id = coalesce(excluded.user_id, l.user_id), found_at = now(),
    closed_at = case when excluded.status is distinct from 'succeeded' or l.status = 'succeeded' then l.closed_at end
  returning l.kind, l.processor_id, l.subject_id, l.amount_cents, l.currency, l.status, l.user_id
$$;
