-- Stores that the processor made the object of a step, and posts it at `made_at`, or now. A transfer requests the payout from the trader's account to
-- its bank, with `item`. Of a payout to the bank, events report the further states. A reversal is counted by the transfer's cumulative figure
-- (note_reversed), which is at least this much now. Locks the payout, then its event log. Item: as for begin_payout_step. Arrival: of a transfer, the
-- processor's id of the payment that the account received.
create or replace function note_step(intent uuid, object text, arrival text, item jsonb, made_at timestamptz) returns void
language plpgsql as $$
declare
  s payout_steps;
  p payouts;
  account text;
begin
  perform from payouts o join payout_steps q on q.payout_id = o.id where q.intent_id = intent for no key update of o;
  update payout_steps o
  set state = case when o.step = 'payout' then 'sent' else 'done' end, processor_id = object, failure_reason = null,
    ended_at = case when o.step <> 'payout' then now() end
  where o.intent_id = intent
  returning * into strict s;
  select * into strict p from payouts where id = s.payout_id;
  if s.step = 'transfer' then
    update payouts
    set processor_transfer_id = object, arrival_id = arrival, is_unread = true, delayed_for = null, delayed_since = null
    where id = p.id;
    perform post_entries(p.id, p.owner, 'transfer', object, coalesce(made_at, now()), null,
      jsonb_build_array(leg('platform', 'exchange', s.currency, s.amount_cents)));
    perform begin_payout_step(p.id, 'payout', item);
  elsif s.step = 'payout' then
    select c.processor_account_id into strict account from connect_accounts c where c.id = p.connect_account_id;
    perform post_entries(p.id, p.owner, 'bank', object, coalesce(made_at, now()), account,
      held_legs(p.id, 'in_transit', s.currency, -s.amount_cents));
  else
    perform note_reversed(p.id, s.reversed_before + s.amount_cents, made_at);
  end if;
  perform settle_payout(p.id);
  perform take_up_events(object);
end $$;
