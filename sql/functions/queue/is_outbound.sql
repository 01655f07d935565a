-- Whether a task never has to wait for those of orders and money, and never makes them wait: the outbound runner executes it.
create or replace function is_outbound(task text) returns boolean
language sql immutable as $$
  select split_part(task, '/', 1) in ('housekeeping', 'mail', 'trading', 'webhooks')
$$;
