create or replace view ops.unprotected_positions as
select w.venue, w.owner, w.trader, w.pair, w.seen ->> 'side' as side, w.seen ->> 'size' as size, w.missing_since, w.told_at,
  w.wanted, w.seen -> 'live' as live, w.seen ->> 'reason' as reason, w.seen ->> 'message' as message, w.seen ->> 'repair' as repair,
  w.repaired_by as repair_intent, array(
    select distinct coalesce((select s.owner from subaccounts s where s.synthetic_hotkey = w.trader), e.entry ->> 'owner', w.owner)
    from jsonb_array_elements(w.wanted) as e (entry)
    where (e.entry ->> 'waits')::boolean is not true and coalesce(w.seen -> 'lacking' ? (e.entry ->> 'order_uuid'), true)
    order by 1
  ) as lacked_by
from wanted_exits w
where w.missing_since is not null
order by w.missing_since;

comment on view ops.unprotected_positions is
  'Open positions without the exits that the newest accepted commands want, by complete reads. told_at: when it was reported; null while a '
  'second read has to confirm it. owner: who wanted exits last. lacked_by: whose exits are missing.';
