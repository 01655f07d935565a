-- Ends an intent in doubt that its look-ups cannot decide (LASTING in src/venues/exchange/orders/calls.ts): the exchange has read what was signed,
-- and long afterwards shows nothing of it. Its effect stays unknown. False: it is no such intent. Locks as settle_intent and emit_ended.
create or replace function end_lasting_doubt(intent uuid) returns boolean
language plpgsql as $$
declare
  doubt record;
begin
  select i.state, i.fence, i.unknown_because into doubt
  from intents i
  where i.id = intent
  for no key update;
  if doubt.state is distinct from 'in_doubt' or doubt.unknown_because is distinct from 'absent, and the nonce is used' then
    return false;
  end if;
  perform settle_intent(intent, doubt.fence, 'failed', jsonb_build_object('problem', jsonb_build_object(
    'code', 'V1_ORDER_IN_DOUBT', 'effect', 'unknown',
    'message', 'The exchange has read this request, and long afterwards shows nothing of it. Nothing can prove its effect.'
  )));
  perform emit_ended(array[intent], '{}');
  return true;
end $$;
