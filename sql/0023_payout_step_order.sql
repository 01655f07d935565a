alter table payout_steps add column position bigint;

update payout_steps s
set position = o.position
from (
  select c.intent_id, row_number() over (order by c.created_at, c.intent_id) as position
  from payout_steps c
) o
where o.intent_id = s.intent_id;

alter table payout_steps alter column position set not null;
alter table payout_steps alter column position add generated always as identity;
select setval(pg_get_serial_sequence('payout_steps', 'position'), coalesce((select max(s.position) from payout_steps s), 0) + 1, false);

comment on column payout_steps.position is 'The order of the steps: the clock of the database may be set back.';
