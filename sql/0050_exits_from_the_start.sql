-- What reduces a risk is known from the acceptance on, so that its job also comes first while it waits for a worker.
comment on column intents.is_exit is
  'Whether it reduces what its trader risks: a cancellation, a close, protection, an order that only reduces a position. Exits come first: in the '
  'queue, for slots, in budgets, and some pauses let them pass.';
