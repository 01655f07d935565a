-- Emits that a position is open without the exits that are wanted of it: to the followers of its account, and to its partner or app. Take no lock
-- after it.
create or replace function emit_unprotected(w wanted_exits) returns void
language plpgsql as $$
declare
  data jsonb := protection_event(w);
begin
  perform pg_notify('traded', w.trader); -- who reads after the event must not read what was cached before
  if data ->> 'prop_account_id' is not null then
    perform record_account_event(data ->> 'prop_account_id', 'position.unprotected', data);
  end if;
  perform emit_event(w.owner, 'position.unprotected', data);
end $$;
