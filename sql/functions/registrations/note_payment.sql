-- Stores the hash of a payment as soon as it is known, before any further step. The first hash stays. A purchase that had ended as rejected
-- has an effect after all.
create or replace function note_payment(registration uuid, hash text, noted text) returns void
language sql as $$
  update intents
  set outcome = jsonb_set(outcome, '{problem,effect}', '"done"')
  where id = registration and state = 'failed';

  update registrations
  set tx_hash = hash, paid_at = now(), message = noted, updated_at = now()
  where id = registration and tx_hash is null
$$;
