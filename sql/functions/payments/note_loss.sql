-- Stores what the processor reports of a charge's refunds, a refund or a dispute, unless a later report is stored, and then settle_money: dated when
-- when it was made, or reported. One whose first report is that it gave its money back, or a part of it, took that before: from when it was made on.
-- Verdicts: applied | stale | unreadable (another currency, or another payment's object: nothing is written). Locks the payment, then what
-- settle_money locks. Loss: kind, id, cents, currency?, status?, made_at_ms?, made_cents? (what it took when it was made, if that was more)
create or replace function note_loss(of_payment text, loss jsonb, at_ms double precision) returns text
language plpgsql as $$
declare
  p payments;
  state record;
  at timestamptz := to_timestamp(at_ms / 1000);
  made_at timestamptz := to_timestamp((loss ->> 'made_at_ms')::double precision / 1000);
  is_new boolean;
  has_ended boolean;
begin
  select * into strict p from payments where id = of_payment for no key update;
  is_new := not exists (select from payment_losses l where l.processor_id = loss ->> 'id');
  if coalesce(loss ->> 'currency', p.received_currency, p.currency) <> coalesce(p.received_currency, p.currency)
    or exists (select from payment_losses l where l.processor_id = loss ->> 'id' and l.payment_id <> of_payment) then
    return 'unreadable';
  end if;
  select * into state from loss_state(loss ->> 'kind', loss ->> 'status');
  has_ended := is_new and made_at < at
    and (loss ? 'made_cents' or (loss ->> 'kind' = 'refund' or loss ->> 'status' = 'won') and not state.is_live);
  if has_ended then
    insert into payment_losses (processor_id, payment_id, kind, amount_cents, status, is_live, rank, made_at, said_at)
    values (loss ->> 'id', of_payment, loss ->> 'kind', coalesce(loss ->> 'made_cents', loss ->> 'cents')::integer, loss ->> 'status', true, -1,
      made_at, made_at);
    perform post_losses(p, made_at, loss ->> 'id');
  end if;
  insert into payment_losses as l (processor_id, payment_id, kind, amount_cents, status, is_live, rank, made_at, said_at)
  values (loss ->> 'id', of_payment, loss ->> 'kind', (loss ->> 'cents')::integer, loss ->> 'status', state.is_live, state.rank, made_at, at)
  on conflict (processor_id) do update
  set amount_cents = excluded.amount_cents, status = excluded.status, is_live = excluded.is_live, rank = excluded.rank,
    said_at = excluded.said_at, made_at = coalesce(l.made_at, excluded.made_at),
    accepted_cents = case
      when not excluded.is_live then 0
      when l.kind = 'dispute' then least(l.accepted_cents, excluded.amount_cents)
      else l.accepted_cents
    end
  where case l.kind
    when 'refund' then excluded.rank > l.rank
    when 'dispute' then (excluded.said_at, excluded.rank, -excluded.amount_cents) > (l.said_at, l.rank, -l.amount_cents)
    else (excluded.said_at, excluded.amount_cents) > (l.said_at, l.amount_cents)
  end;
  if not found then
    return 'stale';
  end if;
  if loss ->> 'kind' = 'refund' and not state.is_live then
    update payment_losses
    set accepted_cents = greatest(0, accepted_cents - (loss ->> 'cents')::integer)
    where payment_id = of_payment and kind = 'charge';
  end if;
  perform settle_money(of_payment, coalesce(case when is_new and not has_ended and loss ->> 'kind' <> 'charge' then made_at end, at), loss ->> 'id');
  return 'applied';
end $$;
