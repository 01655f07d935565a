-- Rejects truncate: operators' actions are append only.
create trigger operator_actions_are_not_emptied before truncate on operator_actions
  for each statement execute function reject_change();
