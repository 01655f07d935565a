-- Takes back the count of one that was to be sent at a time and never left (see spend_pace). No effect if it is not counted. Locks the pace.
create or replace function return_pace(pace text, sent_at timestamptz) returns void
language sql as $$
  update paces p
  set taken = p.taken[:array_position(p.taken, sent_at) - 1] || p.taken[array_position(p.taken, sent_at) + 1:]
  where p.name = return_pace.pace and sent_at = any(p.taken)
$$;
