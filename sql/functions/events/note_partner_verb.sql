-- Part of settle_intent: notes, for this transaction alone, that an order verb of a partner has ended. emit_partner_verbs emits it. A batch
-- settles verbs of many partners, whose logs have to be locked in one order.
create or replace function note_partner_verb(intent uuid) returns void
language sql as $$
  select set_config('service.ended_verbs', concat_ws(',', nullif(current_setting('service.ended_verbs', true), ''), intent), true)
$$;
