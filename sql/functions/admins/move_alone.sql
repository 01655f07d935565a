-- Whether an operator may move an amount without another operator's approval: in 24 hours not more than `most`, in one request or in many. may | moved (the
-- amount of this subject is counted already) | too_much. The caller records what may be moved in the audit as `money.move_alone` with its `cents`, in the same
-- transaction: that is what is counted. Locks the operator.
create or replace function move_alone(operator text, of_subject text, cents bigint, most bigint) returns text
language plpgsql as $$
declare
  moved record;
begin
  perform from admins a where a.id = operator for update;
  select coalesce(sum((u.detail ->> 'cents')::bigint), 0) as cents, coalesce(bool_or(u.subject = of_subject), false) as has_it into moved
  from admin_audit u
  where u.admin_id = operator and u.at > now() - interval '24 hours' and u.action = 'money.move_alone';
  return case when moved.has_it then 'moved' when moved.cents + move_alone.cents > most then 'too_much' else 'may' end;
end $$;
