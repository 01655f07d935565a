-- What reduces a risk is known from the acceptance on, so that its job also comes first while it waits for a worker.
comment on column intents.is_exit is
  'Whether it reduces what its trader risks: a cancellation, a close, protection, an order that only reduces a position. Exits come first: in the '
  'queue, for slots, in budgets, and some pauses let them pass.';

-- Those on their way; one that is locked is being sent.
update intents
set is_exit = true
where id in (
  select i.id
  from intents i
  join intent_kinds k on k.kind = i.kind and k.is_exit
  where i.settled_at is null and not i.is_exit
  for update of i skip locked
);
