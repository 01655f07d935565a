-- Gives the subaccount of an unproven link to a partner that has proven the wallet, and records the operator. Locks the subaccount.
-- `of_hotkey`: the subaccount that was found; another one is not moved. Null: whichever it is.
-- Verdicts: done | unknown (no link) | proven (by its owner) | unproven (by the partner) | pays_others (the network holds another payout
-- address than the wallet, which nobody can change there).
create or replace function move_wallet_link(
  wallet text, to_partner text, by_operator text, because text, of_hotkey text default null, out verdict text, out subaccount_id integer
)
language plpgsql as $$
declare
  linked subaccounts;
begin
  select * into linked
  from subaccounts s
  where s.ex_address = wallet and s.owner <> to_partner
  order by s.created_at desc
  limit 1
  for update;
  subaccount_id := linked.subaccount_id;
  if linked.synthetic_hotkey is null or linked.synthetic_hotkey <> of_hotkey then
    verdict := 'unknown';
  elsif linked.link_proof is not null or has_proven_wallet(linked.owner, wallet) then
    verdict := 'proven';
  elsif not has_proven_wallet(to_partner, wallet) then
    verdict := 'unproven';
  elsif linked.payout_address is not null and lower(linked.payout_address collate "C") <> wallet then
    verdict := 'pays_others';
  else
    update subaccounts s
    set owner = to_partner, link_proof = 'operator'
    where s.synthetic_hotkey = linked.synthetic_hotkey;
    perform record_action(by_operator, 'move_link', wallet, null, null, because,
      jsonb_build_object('verdict', 'done', 'synthetic_hotkey', linked.synthetic_hotkey, 'from', linked.owner, 'to', to_partner));
    verdict := 'done';
  end if;
end $$;
