-- How a dispute has ended by its status at the processor: won (also an inquiry that was closed, or a dispute that was prevented) | lost. Null:
-- it is open.
create or replace function dispute_end(status text) returns text
language sql immutable as $$
  select case
    when status in ('won', 'warning_closed', 'prevented') then 'won'
    when status = 'lost' then 'lost'
  end
$$;
