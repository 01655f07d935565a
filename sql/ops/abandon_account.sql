create or replace function ops.abandon_account(account text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  a prop_accounts;
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  select * into a from prop_accounts where id = account for update;
  verdict := case
    when a.id is null then 'unknown'
    when a.status <> 'subaccount_failed' then 'not_failed'
    when a.abandoned_at is not null then 'abandoned'
    when a.payment_id is not null and not exists (
      select
      from payments p
      where p.id = a.payment_id and (p.refunded_at is not null or p.disputed_at is not null)
    ) then 'owes'
    else 'done'
  end;
  if verdict = 'done' then
    update prop_accounts
    set abandoned_at = now(), abandoned_by = who, abandoned_why = why
    where id = account;
  end if;
  perform ops.note(who, 'abandon', account, why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.abandon_account(text, text, text) is
  'Removes a failed account from the lists permanently; a paid one only once its money was refunded or is disputed. Verdicts: done, unknown, not_failed, abandoned, owes. Recorded in ops.actions.';
