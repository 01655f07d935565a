-- How often something that can be guessed was tried: a budget of tries per window and subject. A window that was overspent makes
-- the next one twice as long, up to `longest`; a refused try never makes the present one longer, so every wait is bounded.
create table throttles (
  name text not null,
  subject bytea not null,
  budget integer not null,
  base interval not null,
  longest interval not null,
  spent integer not null default 1,
  level integer not null default 0,
  ends_at timestamptz not null,
  forget_at timestamptz not null,
  primary key (name, subject)
);
create index throttles_by_age on throttles (forget_at);

comment on column throttles.subject is 'SHA-256 of who or what is tried; never the address itself.';
comment on column throttles.spent is 'Tries in this window; budget + 1 stands for any number above it.';
comment on column throttles.level is 'How often in a row a window was overspent, one less for every window that was not.';

-- Counts one try against every budget of a batch, and says of each whether it was within: exact under any concurrency, since each
-- row is counted under its own lock, taken in one order.
-- Item: name, subject (hex), budget, base_s, longest_s.
create function spend(batch jsonb) returns table (name text, budget integer, base_s double precision, remaining integer, ends_in_s double precision)
language sql as $$
  insert into throttles as t (name, subject, budget, base, longest, ends_at, forget_at)
  select b.name, decode(b.subject, 'hex'), b.budget, make_interval(secs => b.base_s), make_interval(secs => b.longest_s),
    now() + make_interval(secs => b.base_s), now() + make_interval(secs => b.base_s + b.longest_s)
  from jsonb_to_recordset(batch) as b (name text, subject text, budget integer, base_s double precision, longest_s double precision)
  order by b.name, b.subject
  on conflict (name, subject) do update
  set budget = excluded.budget,
    base = excluded.base,
    longest = excluded.longest,
    spent = case when t.ends_at <= now() then 1 else least(t.spent, excluded.budget) + 1 end,
    level = case
      when t.ends_at > now() then t.level
      when t.forget_at <= now() then 0
      when t.spent > t.budget then least(t.level + 1, 20)
      else greatest(t.level - 1, 0)
    end,
    ends_at = case
      when t.ends_at > now() then t.ends_at
      when t.forget_at <= now() then excluded.ends_at
      else now() + least(excluded.longest, excluded.base * power(2,
        case when t.spent > t.budget then least(t.level + 1, 20) else greatest(t.level - 1, 0) end))
    end,
    forget_at = case
      when t.ends_at > now() then t.forget_at
      else now() + excluded.longest + least(excluded.longest, excluded.base * power(2, least(t.level + 1, 20)))
    end
  returning t.name, t.budget, extract(epoch from t.base)::double precision, t.budget - t.spent,
    extract(epoch from t.ends_at - now())::double precision
$$;
