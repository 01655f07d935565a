-- Part of settle_intent, deferred to the end of the transaction: then the order has its final state, and the event log of the account or the
-- partner is the last lock of a batch that settles many verbs.
create constraint trigger intents_emit_verb_ended after update of state on intents
  deferrable initially deferred
  for each row when (
    new.kind like 'orders/%' and new.state in ('succeeded', 'failed', 'expired') and old.state <> new.state
      and (new.request ? 'prop_account_id' or starts_with(new.owner, 'ptn_'))
  )
  execute function emit_verb_ended();
