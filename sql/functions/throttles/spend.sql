-- Counts one attempt against each budget of a batch and returns what remains of each. An attempt that exceeds one of them spends nothing of the
-- others, so nobody uses up by rejected attempts what is shared with others. Exact under concurrency: each row is counted under its lock, and the
-- locks are taken in one order. A window that would end a minute later than the longest is over: the clock of the server was set back.
-- Item: name, subject (hex), budget, base_s, longest_s.
create or replace function spend(batch jsonb)
returns table (name text, budget integer, base_s double precision, remaining integer, ends_in_s double precision)
language plpgsql as $$
#variable_conflict use_column
declare
  counted throttles[];
begin
  with spent as (
    insert into throttles as t (name, subject, budget, base, longest, ends_at, forget_at)
    select b.name, decode(b.subject, 'hex'), b.budget, make_interval(secs => b.base_s), make_interval(secs => b.longest_s),
      now() + make_interval(secs => b.base_s), now() + make_interval(secs => b.base_s + b.longest_s)
    from jsonb_to_recordset(batch) as b (name text, subject text, budget integer, base_s double precision, longest_s double precision)
    order by b.name, b.subject
    on conflict (name, subject) do update
    set budget = excluded.budget,
      base = excluded.base,
      longest = excluded.longest,
      spent = case when t.ends_at between now() and now() + t.longest + interval '1 minute' then least(t.spent, excluded.budget) + 1 else 1 end,
      level = case
        when t.ends_at between now() and now() + t.longest + interval '1 minute' then t.level
        when t.forget_at <= now() then 0
        when t.spent > t.budget then least(t.level + 1, 20)
        else greatest(t.level - 1, 0)
      end,
      ends_at = case
        when t.ends_at between now() and now() + t.longest + interval '1 minute' then t.ends_at
        when t.forget_at <= now() then excluded.ends_at
        else now() + least(excluded.longest, excluded.base * power(2,
          case when t.spent > t.budget then least(t.level + 1, 20) else greatest(t.level - 1, 0) end))
      end,
      forget_at = case
        when t.ends_at between now() and now() + t.longest + interval '1 minute' then t.forget_at
        else now() + excluded.longest + least(excluded.longest, excluded.base * power(2, least(t.level + 1, 20)))
      end
    returning t.*
  )
  select array_agg(s::throttles) into counted from spent s;
  if exists (select from unnest(counted) c where c.spent > c.budget) then
    update throttles t
    set spent = t.spent - 1
    from unnest(counted) c
    where t.name = c.name and t.subject = c.subject and c.spent <= c.budget;
    counted := array(select row(t.*)::throttles from throttles t join unnest(counted) c on t.name = c.name and t.subject = c.subject);
  end if;
  return query
  select c.name, c.budget, extract(epoch from c.base)::double precision, c.budget - c.spent,
    extract(epoch from c.ends_at - now())::double precision
  from unnest(counted) c
  order by c.name, c.subject;
end $$;
