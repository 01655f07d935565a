-- Rejects update and delete: operators' actions are append only.
create trigger operator_actions_are_append_only before update or delete on operator_actions
  for each row execute function reject_change();
