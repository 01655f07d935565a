-- Emits an event about a prop account that was opened or has another status or another reason for it, to its app. Body of trigger
-- prop_accounts_emit.
create or replace function emit_account() returns trigger
language plpgsql as $$
begin
  if not exists (select from prop_accounts a where a.id = new.id) then
    return null; -- what opened it was rejected
  end if;
  perform emit_event(new.owner, 'account.updated', jsonb_build_object(
    'prop_account_id', new.id,
    'user_id', new.user_id,
    'tier_id', new.tier_id,
    'payment_id', new.payment_id,
    'status_before', case when tg_op = 'UPDATE' then old.status end,
    'status', new.status,
    'reason', new.failure_reason,
    'rule', case when new.status = 'eliminated' then new.breach ->> 'rule' end,
    'figures', case when new.status = 'eliminated' then new.breach - 'rule' end
  ));
  return null;
end $$;
