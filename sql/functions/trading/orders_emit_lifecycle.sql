-- Part of every statement that ends a resting order (a cancellation or a reconciliation). Deferred to the end of the transaction for the
-- same reasons as intents_emit_verb_ended.
create constraint trigger orders_emit_lifecycle after update of lifecycle on orders
  deferrable initially deferred
  for each row when (old.lifecycle = 'resting' and new.lifecycle is distinct from old.lifecycle)
  execute function emit_lifecycle();
