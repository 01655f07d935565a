-- Enrolls a key, or replaces the live key with a new one. A new key that the exchange has not confirmed waits beside a confirmed live key,
-- which goes on signing; confirm_key and reject_key end the wait. The same key again does not change the version, and ends the wait of
-- another and the mark of a key that the exchange rejected. One that is not confirmed is checked soon (plan_key_check). `until` is when the agent
-- ends. A retired agent is rejected with constraint signing_keys_agent_retired.
create or replace function enroll_key(
  of_owner text, wallet text, new_id uuid, new_signer text, new_sealed bytea, is_verified boolean, payout text, named text,
  until timestamptz default null
) returns void
language plpgsql as $$
declare
  live record;
  waiting record;
begin
  insert into enrollments as e (owner, ex_wallet, payout_wallet, label)
  values (of_owner, wallet, payout, named)
  on conflict (owner, ex_wallet) do update
  set payout_wallet = excluded.payout_wallet, label = excluded.label, updated_at = now();
  perform follow_wallet(wallet);
  <<keys>>
  begin
    select k.id, k.signer, k.verified_at into live
    from signing_keys k
    where k.owner = of_owner and k.ex_wallet = wallet and k.retired_at is null and not k.waits;
    select k.id, k.signer into waiting
    from signing_keys k
    where k.owner = of_owner and k.ex_wallet = wallet and k.retired_at is null and k.waits;

    if waiting.signer = new_signer then
      if is_verified then
        perform confirm_key(waiting.id, until);
      end if;
      exit keys;
    end if;
    delete from signing_keys where id = waiting.id;
    if live.signer = new_signer then
      update signing_keys
      set verified_at = case when is_verified then coalesce(verified_at, now()) else verified_at end,
        valid_until = case when is_verified then until else valid_until end,
        rejected_at = case when is_verified then null else rejected_at end
      where id = live.id;
      exit keys;
    end if;

    if new_signer <> wallet and exists (select from signing_keys k where k.signer = new_signer and k.retired_at is not null) then
      raise exception using errcode = 'check_violation', constraint = 'signing_keys_agent_retired';
    end if;

    if is_verified or live.verified_at is null then
      update signing_keys set retired_at = now() where id = live.id;
    end if;
    insert into signing_keys (id, owner, ex_wallet, signer, key_version, sealed, verified_at, valid_until, waits)
    values (new_id, of_owner, wallet, new_signer,
      (select coalesce(max(k.key_version), 0) + 1 from signing_keys k where k.owner = of_owner and k.ex_wallet = wallet),
      new_sealed, case when is_verified then now() end, until, not is_verified and live.verified_at is not null);
  end keys;
  set constraints all immediate; -- who plans these tasks waits for this commit, and not for what keeps the partner's event log
  perform plan_exit_watch(2);
  if not is_verified then
    perform plan_key_check(1);
  end if;
end $$;
