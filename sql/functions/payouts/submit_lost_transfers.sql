-- Accepts the transfer of each payout that is open here although the processor has its transfer (lost_money), to the account that received it:
-- begin_payout_step has it looked for, and the payout goes on from there. Returns these payouts. Locks them, then their event logs.
create or replace function submit_lost_transfers() returns setof text
language plpgsql as $$
declare
  l lost_money;
begin
  for l in
    select distinct on (o.subject_id) o.*
    from lost_money o
    where o.kind = 'transfer'
    order by o.subject_id, o.made_at
  loop
    perform from payouts p where p.id = l.subject_id and p.status in ('pending', 'submitted') for no key update;
    continue when not found or exists (select from payout_steps s where s.payout_id = l.subject_id and s.state <> 'unsent');
    update payouts p
    set connect_account_id = c.id
    from connect_accounts c
    where p.id = l.subject_id and c.processor_account_id = l.processor_account_id and c.user_id = p.user_id;
    perform begin_payout_step(l.subject_id, 'transfer', jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 86400));
    return next l.subject_id;
  end loop;
end $$;
