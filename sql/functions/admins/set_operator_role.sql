-- Gives an operator another role, and withdraws the operator's approvals. Verdicts: done | unknown | self | last_admin.
create or replace function set_operator_role(operator text, by_operator text, new_role text) returns text
language plpgsql as $$
declare
  obstacle text := operator_obstacle(operator, by_operator, new_role <> 'admin');
begin
  if obstacle is not null then
    return obstacle;
  end if;
  update admins a set role = new_role where a.id = operator;
  perform withdraw_approvals(operator);
  return 'done';
end $$;
