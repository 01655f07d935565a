-- Records the result of a comparison of wanted with existing exits: `now_wanted`, the entries that are still wanted, and `now_seen`: {state, side,
-- size, live, reason, message, lacking}. state: unprotected (a position is open, and complete reads lack a wanted exit of it) | protected | closed.
-- lacking: the orders whose exits are missing. An unprotected position is reported once reads have lacked an exit of it for `confirm_s`. `repair` is
-- the id of the intent by which the caller then puts the exits back, in a separate statement: intents lock lanes, which others lock before these
-- rows. Emits position.unprotected when it is reported, and once when its repair has failed, to those who lack exits, and position.protected to those
-- who were notified once they lack none: partners may have enrolled the same wallet. Returns told | suspected | settled | overtaken (something has
-- changed since `seen_version`, and nothing was written). Locks the row of the pair; the events are its last step.
create or replace function note_comparison(
  of_venue text, of_trader text, of_pair text, seen_version integer, now_wanted jsonb, now_seen jsonb, confirm_s double precision,
  next_s double precision, repair uuid default null
) returns text
language plpgsql as $$
declare
  was wanted_exits;
  now_is wanted_exits;
  is_missing boolean := now_seen ->> 'state' = 'unprotected';
  has_failed boolean;
  lacking text[];
  told text[] := '{}';
  of_owner text;
  ended wanted_exits;
begin
  select * into was
  from wanted_exits w
  where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair and w.version = seen_version
  for update;
  if not found then
    return 'overtaken';
  end if;
  now_is := was;
  lacking := array(
    select distinct told_of_exits(was, e.entry) as owner
    from jsonb_array_elements(now_wanted) as e (entry)
    where (e.entry ->> 'waits')::boolean is not true and coalesce(now_seen -> 'lacking' ? (e.entry ->> 'order_uuid'), true)
    order by owner
  );
  if was.told_at is not null then
    told := array(
      select t.owner
      from jsonb_array_elements_text(coalesce(was.seen -> 'told', jsonb_build_array(was.owner))) as t (owner)
      where t.owner = told_of_exits(was, jsonb_build_object('owner', t.owner))
      order by t.owner
    );
  end if;
  now_is.missing_since := case when is_missing then coalesce(was.missing_since, now()) end;
  now_is.told_at := case
    when is_missing then coalesce(was.told_at, case when now_is.missing_since <= now() - make_interval(secs => confirm_s) then now() end)
  end;
  if now_is.told_at is null then
    now_is.repairs := 0;
    now_is.repaired_by := null;
  elsif repair is not null and repair is distinct from was.repaired_by then
    now_is.repairs := was.repairs + 1;
    now_is.repaired_by := repair;
  end if;
  has_failed := exists (select from intents i where i.id = now_is.repaired_by and i.state in ('failed', 'expired'))
    or now_is.told_at is not null and was.told_at is not null and was.seen ->> 'repair' = 'failed'; -- stays so until they live
  now_is.seen := now_seen || jsonb_build_object('repair', case
    when now_is.repaired_by is null then 'none'
    when has_failed then 'failed'
    else 'submitted'
  end, 'told', case when now_is.told_at is not null then to_jsonb(lacking) end);

  update wanted_exits w
  set wanted = now_wanted, version = w.version + 1, is_changed = false, compared_at = now(),
    due_at = case when now_wanted <> '[]' then now() + make_interval(secs => next_s) end,
    missing_since = now_is.missing_since, told_at = now_is.told_at, seen = now_is.seen, repairs = now_is.repairs,
    repaired_by = now_is.repaired_by
  where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair;

  now_is.wanted := case when now_wanted <> '[]' then now_wanted else was.wanted end;
  for of_owner in select distinct o.owner from unnest(told || lacking) as o (owner) order by o.owner loop
    if now_is.told_at is not null and of_owner = any(lacking) then
      if of_owner <> all(told) or has_failed and was.seen ->> 'repair' is distinct from 'failed' then
        perform emit_protection(now_is, 'position.unprotected', array[of_owner]);
      end if;
    elsif of_owner = any(told) then
      ended := now_is;
      ended.missing_since := was.missing_since;
      if now_is.told_at is not null then -- another one still lacks some
        ended.seen := now_is.seen || jsonb_build_object('message', null, 'repair', 'none', 'reason', case when exists (
            select
            from jsonb_array_elements(now_wanted) as e (entry)
            where (e.entry ->> 'waits')::boolean is not true and told_of_exits(was, e.entry) = of_owner
          ) then 'exits_live' else 'exits_withdrawn' end);
      end if;
      perform emit_protection(ended, 'position.protected', array[of_owner]);
    end if;
  end loop;
  return case when now_is.told_at is not null then 'told' when is_missing then 'suspected' else 'settled' end;
end $$;
