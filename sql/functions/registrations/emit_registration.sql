-- Emits an event about a registration that was submitted or has another status, payment or message. Body of trigger registrations_emit.
create or replace function emit_registration() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.status, new.tx_hash, new.message) is not distinct from (old.status, old.tx_hash, old.message) then
    return null;
  end if;
  perform emit_event(p.id, 'registration.updated', jsonb_build_object(
    'registration_id', new.id,
    'ex_address', new.ex_address,
    'status', new.status,
    'miner_slug', new.miner_slug,
    'account_size', new.account_size,
    'tx_hash', new.tx_hash,
    'code', new.problem,
    'message', new.message
  ))
  from partners p
  where p.id = new.owner;
  return null;
end $$;
