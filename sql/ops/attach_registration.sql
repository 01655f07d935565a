create or replace function ops.attach_registration(registration uuid, hotkey text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(registration::text, who, 'attach', why, coalesce(n.obstacle, attach_to_registration(registration, session_user, n.made || (
    select jsonb_build_object('asset_class', coalesce(w.wanted ->> 'assetClass', 'hl_all'), 'account_size', w.wanted -> 'accountSize',
      'ex_address', w.wanted ->> 'exAddress', 'payout_address', w.wanted ->> 'payoutAddress')
    from (select i.request -> 'subaccount' as wanted from intents i where i.id = registration) w
  ), why, ops.given_name(who))))
  from ops.attachable(hotkey, (select i.owner from intents i where i.id = registration)) n
$$;
comment on function ops.attach_registration(uuid, text, text, text) is
  'Gives a partner the subaccount <entity>_<number> at the network that its registration (an intent of ops.undecided_intents) has made. Class, size '
  'and wallet are taken from the registration and not checked at the network: check them first, or use the console, which does. Verdicts: done, '
  'unknown, not_undecided, taken, malformed, other_entity, not_given (as of ops.attach_account). Recorded in ops.actions.';
