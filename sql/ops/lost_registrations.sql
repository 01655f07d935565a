create or replace view ops.lost_registrations as
select l.tx_hash, l.payer, l.payee, l.units, l.found_at, l.released_at,
  case
    when l.released_at is not null then 'none: its payer may buy again'
    else 'ask the registrar which address was registered with it; then ops.release_registration, of this payer'
  end as safe_action
from lost_registrations l
order by l.found_at;
comment on view ops.lost_registrations is
  'Payments of registrations on chain whose rows were lost with a backup, of any payer of the registrar. Normally empty.';
