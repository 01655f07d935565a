-- Rejects update, delete and truncate, by whomever: operators' actions are append only.
create trigger operator_actions_are_append_only before update or delete or truncate on operator_actions
  for each statement execute function reject_change();
