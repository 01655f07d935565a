create or replace function ops.abandon_account(account text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(account, who, 'abandon', why, abandon_account(account, session_user, why, ops.given_name(who)))
$$;
comment on function ops.abandon_account(text, text, text) is
  'Removes a failed account from the lists permanently; a paid one only once nothing of its money is kept. Verdicts: done, unknown, not_failed, '
  'abandoned, owes. Recorded in ops.actions.';
