-- Stores what the processor shows of a payout's transfer at the trader's account: the reversed amount, and each movement to and from the account,
-- once. False: it is impossible, or older than what is known, and nothing is written. Locks the payout, then its event log. Movement: id, net
-- (negative: given back), at_ms.
create or replace function note_holding(payout text, account text, reversed integer, of_currency text, movements jsonb) returns boolean
language plpgsql as $$
declare
  moved record;
  back_at timestamptz := (
    select to_timestamp(max(a.at_ms) / 1000)
    from jsonb_to_recordset(movements) as a (net bigint, at_ms double precision)
    where a.net < 0
  );
begin
  if not note_reversed(payout, reversed, back_at) then
    return false;
  end if;
  if reversed < (select m.reversed_cents from payouts p, payout_money(p) m where p.id = payout) then
    return false;
  end if;
  for moved in
    select a.id, a.net, a.at_ms
    from jsonb_to_recordset(movements) as a (id text, net bigint, at_ms double precision)
    where not exists (select from ledger_transactions t where t.kind = 'arrival' and t.source = a.id)
    order by a.at_ms, a.net desc
  loop
    perform post_entries(payout, p.owner, 'arrival', moved.id, to_timestamp(moved.at_ms / 1000), account,
      held_legs(payout, 'exchange', of_currency, moved.net))
    from payouts p
    where p.id = payout;
  end loop;
  update payouts set is_unread = false where id = payout and movements <> '[]';
  return true;
end $$;
