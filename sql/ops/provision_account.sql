create or replace function ops.provision_account(account text, who text, why text, deadline_s double precision default 3600) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(account, who, 'provision_again', why,
    provision_again(account, session_user, gen_random_uuid(), deadline_s, why, ops.given_name(who)))
$$;
comment on function ops.provision_account(text, text, text, double precision) is
  'Requests the subaccount of a failed account again, only if it is proven that none was created. Verdicts: done, unknown, not_failed, abandoned, '
  'returned, unproven. Recorded in ops.actions.';
