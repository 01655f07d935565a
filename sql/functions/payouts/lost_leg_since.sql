-- Since when a payout to the bank may have been made of which this database has lost its knowledge: its transfer is older than a recovery, and no
-- payout to the bank of it has ended since. Null: there is none.
create or replace function lost_leg_since(payout text) returns timestamptz
language sql stable as $$
  select min(r.since)
  from payout_steps s
  join intents t on t.id = s.intent_id
  join recoveries r on t.sending_at < r.recovered_at
  where s.payout_id = payout and s.step = 'transfer' and s.state = 'done' and not exists (
    select
    from payout_steps o
    join intents b on b.id = o.intent_id
    where o.payout_id = payout and o.step = 'payout' and o.state in ('done', 'failed') and b.settled_at > r.recovered_at
  )
$$;
