-- Accepts purchases: intent, registration and sealed key in one transaction. A repeated request gets the first one's result. Other verdicts in
-- addition to those of accept_intents: under_way | registered | paid (an earlier one was paid but not registered, or its row was lost with a backup,
-- and no operator has released it). Item: as for accept_intents, and ex_address, miner_slug, account_size, payer, sealed (hex)
create or replace function accept_registrations(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  item jsonb;
  live text;
begin
  for item in
    select b.item from jsonb_array_elements(batch) as b (item) order by b.item ->> 'lane', b.item ->> 'n'
  loop
    begin
      select a.n, a.intent_id, a.verdict into n, intent_id, verdict
      from accept_intents(jsonb_build_array(item)) a;
      if verdict = 'accepted' then
        insert into registrations (id, owner, ex_address, miner_slug, account_size, payer)
        values ((item ->> 'id')::uuid, item ->> 'owner', item ->> 'ex_address', item ->> 'miner_slug',
          (item ->> 'account_size')::integer, item ->> 'payer');
        insert into registration_keys (registration_id, sealed)
        values ((item ->> 'id')::uuid, decode(item ->> 'sealed', 'hex'));
        if exists (
          select from registrations r
          where r.owner = item ->> 'owner' and r.ex_address = item ->> 'ex_address' and is_unrecorded(r)
        ) or exists (
          select from lost_registrations l
          where l.payer = item ->> 'payer' and l.released_at is null
        ) then
          raise unique_violation using constraint = 'registrations_paid_once';
        end if;
      end if;
    exception when unique_violation then
      select r.status into live
      from registrations r
      where r.owner = item ->> 'owner' and r.ex_address = item ->> 'ex_address'
        and r.status in ('pending', 'processing', 'registered', 'active');
      n := (item ->> 'n')::integer;
      intent_id := (item ->> 'id')::uuid;
      verdict := case when live in ('registered', 'active') then 'registered'
        when live is not null then 'under_way'
        else 'paid' end;
    end;
    return next;
  end loop;
end $$;
