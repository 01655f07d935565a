-- Advances a wallet's cursor to `to_at`, the newest execution that was read: streamed ones may be newer, and others missing before them. Or keeps
-- it before a gap among those from `from_at` on, which is then read again at once. What the exchange does not list ten minutes after a gap it
-- never will: see venues/exchange.md#rows. From there on the ledger is complete. Returns whether there is a gap.
create or replace function advance_fill_cursor(wallet text, from_at timestamptz, to_at timestamptz) returns boolean
language plpgsql as $$
declare
  whole_from timestamptz;
  gap record;
begin
  select c.complete_from into whole_from
  from exchange_cursors c
  where c.ex_wallet = wallet
  for update;
  loop
    select * into gap from find_fill_gap(wallet, from_at, whole_from);
    exit when gap.until is null or gap.until > now() - interval '10 minutes';
    whole_from := gap.until;
  end loop;
  update exchange_cursors c
  set fills_read_at = now(), complete_from = whole_from,
    read_to = case when gap.until is null then greatest(c.read_to, to_at) else gap.since end,
    gap_at = case when gap.until is not null then coalesce(c.gap_at, gap.since) end,
    due_at = case when gap.until is null then c.due_at else least(c.due_at, now() + interval '1 second') end
  where c.ex_wallet = wallet;
  return gap.until is not null;
end $$;
