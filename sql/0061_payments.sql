-- Checkouts. Whether one was made at the processor is its intent's state; these rows say what became of the money.
create table payments (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  tier_id text not null references tiers (id),
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  amount_cents integer not null constraint payments_amount_positive check (amount_cents > 0),
  currency text not null,
  intent_id uuid not null constraint payments_one_per_intent unique,
  processor_payment_intent_id text constraint payments_processor_id_once unique,
  client_secret text,
  status text not null default 'pending' constraint payments_status_known check (status in (
    'pending', 'requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'requires_capture',
    'succeeded', 'canceled', 'failed'
  )),
  status_at timestamptz,
  received_cents integer not null default 0,
  failure_code text,
  paid_at timestamptz,
  amount_differs boolean not null default false,
  refunded_cents integer not null default 0,
  refunded_at timestamptz,
  disputed_at timestamptz,
  looked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint payments_paid_has_time check ((status = 'succeeded') = (paid_at is not null))
);
create index payments_by_user on payments (owner, user_id, created_at);
create index payments_open on payments (created_at) where paid_at is null;
create index payments_of_other_amounts on payments (paid_at) where amount_differs;

comment on column payments.owner is 'The app.';
comment on column payments.status is 'The processor''s own words; pending before it knows of it, failed where it refused to.';
comment on column payments.status_at is 'When the processor said so, by its clock: older words change nothing.';
comment on column payments.amount_differs is 'Paid, but not what was asked: no account was made for it.';
comment on column payments.client_secret is 'What the buyer''s browser completes this one payment with; forgotten once nothing can be paid with it.';

-- One job of the queue for a row of money.
create function money_job(task text, payload json, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row(task, payload, null, run_at, null, null, null, null)::graphile_worker.job_spec
$$;

-- Queues jobs, within a statement that does more.
create function queue_money_jobs(jobs graphile_worker.job_spec[]) returns void
language sql as $$
  select graphile_worker.add_jobs(jobs)
$$;

-- Accepts checkouts: those that name a tier as it is. Verdicts beside accept_intents': tier_unknown | tier_free | tier_mismatch |
-- amount_mismatch. A repeat under a known key is judged by accept_intents alone: the tier may have changed since.
-- Item: as accept_intents', and payment_id, user_id, tier_id, market, asset_class, account_size, amount_cents, currency.
create function accept_checkouts(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  judged jsonb;
begin
  select jsonb_agg(b.item || jsonb_build_object('verdict', case when k.key is null then tier_verdict(b.item, false) end))
  into judged
  from jsonb_array_elements(batch) as b (item)
  left join idempotency_keys k on k.owner = b.item ->> 'owner' and k.key = b.item ->> 'idempotency_key';

  return query
  select (j.item ->> 'n')::integer, (j.item ->> 'id')::uuid, j.item ->> 'verdict'
  from jsonb_array_elements(judged) as j (item)
  where j.item ->> 'verdict' is not null;

  return query
  with verdicts as materialized (
    select a.n, a.intent_id, a.verdict
    from accept_intents((
      select coalesce(jsonb_agg(j.item), '[]')
      from jsonb_array_elements(judged) as j (item)
      where j.item ->> 'verdict' is null
    )) a
  ), written as (
    insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
    select i.payment_id, i.owner, i.user_id, i.tier_id, i.market, i.asset_class, i.account_size, i.amount_cents::integer, i.currency, i.id
    from jsonb_to_recordset(judged) as i (
      n integer, id uuid, owner text, payment_id text, user_id text, tier_id text, market text, asset_class text,
      account_size numeric, amount_cents numeric, currency text
    )
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;

-- A checkout whose intent ends without a payment intent has failed, whichever way it ended.
create function checkout_ended() returns trigger
language plpgsql as $$
begin
  update payments
  set status = 'failed', failure_code = lower(new.outcome -> 'problem' ->> 'code')
  where intent_id = new.id and status = 'pending';
  return null;
end $$;
create trigger checkout_ended after update of state on intents
  for each row when (new.kind = 'payments/checkout' and new.state in ('failed', 'expired'))
  execute function checkout_ended();
