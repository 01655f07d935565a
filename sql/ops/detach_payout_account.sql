create or replace function ops.detach_payout_account(account text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(account, who, 'detach_payout_account', why,
    detach_payout_account_for(account, session_user, why, ops.given_name(who)))
$$;
comment on function ops.detach_payout_account(text, text, text) is
  'Detaches a payout account (acct_) from its user: no payout goes there any more, and the user may open another. Verdicts: done, unknown, '
  'detached. Recorded in ops.actions.';
