-- Whether the trader of an intent may send to the network at once: its subaccount is activated, and none of its closes is in flight.
create or replace function is_ready(intent uuid) returns boolean
language sql stable as $$
  select s.status <> 'pending' and not is_closing(s.synthetic_hotkey)
  from intents i
  cross join lateral (
    select a.synthetic_hotkey, a.status
    from subaccounts a
    where a.synthetic_hotkey = i.request ->> 'trader'
    limit 1
  ) s
  where i.id = intent
$$;
