create or replace function ops.attach_registration(registration uuid, hotkey text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  name text[] := regexp_match(hotkey, '^(.+)_(0|[1-9]\d{0,8})$');
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := case
    when name is null then 'malformed'
    when not ops.may_be_at(name[1], (select i.owner from intents i where i.id = registration)) then 'other_entity'
    when not ops.was_given(name[1], name[2]::integer) then 'not_given'
  end;
  if verdict is null then
    verdict := attach_to_registration(registration, session_user, (
      select jsonb_build_object('synthetic_hotkey', hotkey, 'entity_hotkey', name[1], 'subaccount_id', name[2]::integer,
        'asset_class', coalesce(w.wanted ->> 'assetClass', 'hl_all'), 'account_size', w.wanted -> 'accountSize',
        'ex_address', w.wanted ->> 'exAddress', 'payout_address', w.wanted ->> 'payoutAddress', 'status', 'pending')
      from (select i.request -> 'subaccount' as wanted from intents i where i.id = registration) w
    ), why, ops.given_name(who));
  end if;
  perform ops.note_rejected(registration::text, who, 'attach', why, verdict);
  return verdict;
end $$;
comment on function ops.attach_registration(uuid, text, text, text) is
  'Gives a partner the subaccount <entity>_<number> at the network that its registration (an intent of ops.undecided_intents) has made. Class, size '
  'and wallet are taken from the registration and not checked at the network: check them first, or use the console, which does. Verdicts: done, '
  'unknown, not_undecided, taken, malformed, other_entity, not_given (as of ops.attach_account). Recorded in ops.actions.';
