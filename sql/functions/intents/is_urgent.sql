-- Whether an entry that is about to wait is as urgent as exits: they wait in its lane (exits_wait_behind), or one is being accepted there at this
-- moment. One that is accepted from now on, until this transaction ends, waits for that in yield_to_newcomers, and then finds the entry waiting. It
-- waits for nobody itself.
create or replace function is_urgent(of_lane text, at_position bigint) returns boolean
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('exits of ' || of_lane, 0)) then
    return true;
  end if;
  return exits_wait_behind(of_lane, at_position); -- a statement of its own: it sees what was committed before the lock was free
end $$;
