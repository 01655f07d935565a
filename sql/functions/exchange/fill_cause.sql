-- Why an execution of a wallet happened, as one of its partners may know it: liquidation, take_profit, stop_loss, order (one of this partner's, a
-- closing included) or elsewhere.
create or replace function fill_cause(f exchange_fills, of_owner text) returns text
language sql stable as $$
  select case
    when f.is_liquidation then 'liquidation'
    when f.leg is not null then case f.leg when 'tp' then 'take_profit' else 'stop_loss' end
    when f.cloid ~ '^0x[0-9a-f]{32}$' and exists (
      select
      from intents i
      where i.id = substr(f.cloid, 3)::uuid and i.owner = of_owner
    ) then 'order'
    else 'elsewhere'
  end
$$;
