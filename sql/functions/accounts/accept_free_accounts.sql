-- Accepts free accounts. If the user already has one of that tier, the verdict is replayed, and the request gets the result of its creation, whatever
-- that is, also if the tier has changed since, unless its key is another request's. Verdicts in addition to those of accept_intents: tier_unknown |
-- tier_not_free | tier_mismatch. Items are processed in the order of their apps, the order in which the event logs are locked at the end. Item: as
-- for accept_intents, and prop_account_id, user_id, tier_id, asset_class, account_size.
create or replace function accept_free_accounts(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  b record;
begin
  for b in
    select e.item, (e.item ->> 'n')::integer as at, tier_verdict(e.item, true) as judged
    from jsonb_array_elements(batch) as e (item)
    order by e.item ->> 'owner', e.item ->> 'user_id', e.item ->> 'tier_id'
  loop
    n := b.at;
    intent_id := (b.item ->> 'id')::uuid;
    verdict := b.judged;
    if verdict is not null and not exists (
      select
      from prop_accounts p
      where p.user_id = b.item ->> 'user_id' and p.tier_id = b.item ->> 'tier_id' and p.payment_id is null
        and p.asset_class = b.item ->> 'asset_class' and p.account_size = (b.item ->> 'account_size')::numeric
    ) then
      return next;
      continue;
    end if;

    insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, intent_id)
    select b.item ->> 'prop_account_id', b.item ->> 'owner', b.item ->> 'user_id', t.id, t.market, t.asset_class, t.account_size,
      'provisioning', (b.item ->> 'id')::uuid
    from tiers t
    where t.id = b.item ->> 'tier_id'
    on conflict (user_id, tier_id) where payment_id is null do nothing;
    if not found then
      select p.intent_id into intent_id
      from prop_accounts p
      where p.user_id = b.item ->> 'user_id' and p.tier_id = b.item ->> 'tier_id' and p.payment_id is null;
      verdict := case when coalesce((
        select k.digest = decode(b.item ->> 'digest', 'hex')
        from idempotency_keys k
        where k.owner = b.item ->> 'owner' and k.key = b.item ->> 'idempotency_key'
      ), not has_stored_response(b.item ->> 'caller', b.item ->> 'idempotency_key')) then 'replayed' else 'key_reused' end;
      return next;
      continue;
    end if;

    select a.intent_id, a.verdict into intent_id, verdict
    from accept_intents(jsonb_build_array(b.item)) a;
    if verdict <> 'accepted' then
      delete from prop_accounts where id = b.item ->> 'prop_account_id';
    end if;
    return next;
  end loop;
end $$;
