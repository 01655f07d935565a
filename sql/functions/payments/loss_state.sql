-- The rank of a state among those of its object, and whether the object takes its amount in it. Of two reports of a refund the higher rank
-- is the later one, because a refund never goes back; of two reports of a dispute in the same second too. An unknown state takes the amount.
create or replace function loss_state(kind text, status text, out rank integer, out is_live boolean)
language sql immutable as $$
  select
    case
      when kind = 'charge' then 0
      when kind = 'refund' then case
        when status = 'succeeded' then 2
        when status in ('failed', 'canceled') then 3
        when status = 'requires_action' then 1
        else 0
      end
      else coalesce(array_position(array['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented',
        'needs_response', 'under_review', 'won', 'lost', 'appeal_needs_response', 'appeal_under_review'], status), 11)
    end,
    case
      when kind = 'refund' then status is null or status not in ('failed', 'canceled')
      when kind = 'dispute' then dispute_end(status) is distinct from 'won'
      else true
    end
$$;
