-- An entry that exits of its lane wait for is as urgent as they are (decision 089).
comment on column intents.is_exit is
  'Whether it reduces what its trader risks: a cancellation, a close, protection, an order that only reduces a position; or, once it asked for a '
  'slot, whether exits of its lane waited for it. Exits come first: in the queue, for slots, in budgets, and some pauses let them pass.';
