-- Whether an operator may move an amount without another operator's approval: in 24 hours not more than `most`, in one request or in many. What may
-- be moved is recorded in the audit, each subject once, and counted there. Locks the operator.
create or replace function move_alone(operator text, of_subject text, cents bigint, most bigint, from_address text, of_request text) returns boolean
language plpgsql as $$
declare
  moved record;
begin
  perform from admins a where a.id = operator for no key update;
  select coalesce(sum((u.detail ->> 'cents')::bigint), 0) as cents, coalesce(bool_or(u.subject = of_subject), false) as has_it into moved
  from admin_audit u
  where u.admin_id = operator and u.at > now() - interval '24 hours' and u.action = 'money.move_alone';
  if not moved.has_it and moved.cents + move_alone.cents <= most then
    insert into admin_audit (admin_id, action, subject, detail, address, request_id)
    values (operator, 'money.move_alone', of_subject, jsonb_build_object('cents', move_alone.cents), from_address, of_request);
    return true;
  end if;
  return moved.has_it;
end $$;
