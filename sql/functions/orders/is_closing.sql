-- Whether a FLAT_ALL of a trader of the network may still be executed: the venue then changes more of the account than its position.
create or replace function is_closing(of_trader text) returns boolean
language sql stable as $$
  select exists (
    select
    from intents c
    where c.kind = 'network/close' and c.phase in ('pending', 'in_doubt') and c.request ->> 'trader' = of_trader
      and c.sending_at is not null and c.sent_payload -> 'signal' ->> 'execution_type' = 'FLAT_ALL'
  )
$$;
