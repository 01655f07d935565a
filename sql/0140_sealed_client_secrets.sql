-- What a buyer's browser completes a payment with is sealed from here on. Plain values are struck out, also those that code of the
-- version before still writes while versions change; a look at the processor reads anew what an open payment needs.
alter table payments add column sealed_client_secret bytea;
comment on column payments.sealed_client_secret is
  'What the buyer''s browser completes this one payment with, sealed; forgotten once nothing can be paid with it.';

create function forget_plain_secret() returns trigger
language plpgsql as $$
begin
  new.client_secret := null;
  return new;
end $$;
create trigger payments_hold_no_plain_secret before insert or update of client_secret on payments
  for each row execute function forget_plain_secret();

do $$
declare
  jobs graphile_worker.job_spec[];
begin
  with struck as (
    update payments
    set client_secret = null
    where client_secret is not null
    returning id, paid_at, status
  )
  select array_agg(money_job('payments/look', json_build_object('payment_id', s.id), null)) into jobs
  from struck s
  where s.paid_at is null and s.status not in ('pending', 'failed', 'canceled');
  if jobs is not null then
    perform queue_money_jobs(jobs);
  end if;
end $$;

comment on column payments.client_secret is 'Always null: kept for code of the version before.';
