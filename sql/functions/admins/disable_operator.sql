-- Disables or enables an operator. Disabling ends the sessions and an invitation, and withdraws the operator's approvals.
-- Verdicts: done | unknown | self | last_admin.
create or replace function disable_operator(operator text, by_operator text, is_disabled boolean default true) returns text
language plpgsql as $$
declare
  obstacle text := operator_obstacle(operator, by_operator, is_disabled);
begin
  if obstacle is not null then
    return obstacle;
  end if;
  update admins a
  set disabled_at = case when is_disabled then coalesce(a.disabled_at, now()) end,
    invitation_digest = case when not is_disabled then a.invitation_digest end
  where a.id = operator;
  if is_disabled then
    perform end_operator_sessions(operator);
  end if;
  return 'done';
end $$;
