create or replace view ops.unrecorded_registrations as
select r.id as registration_id, r.owner, r.ex_address, r.miner_slug, r.account_size, r.payer, r.tx_hash, r.paid_at, r.message,
  'ask the registrar to record it, or to return the payment; once it has returned it or will not record it: ops.release_registration' as safe_action
from registrations r
where is_unrecorded(r)
  or r.status in ('pending', 'processing') and r.tx_hash is not null and r.paid_at < now() - interval '1 day'
order by r.paid_at;
comment on view ops.unrecorded_registrations is
  'Registrations whose payment was taken on chain and that the registrar has not recorded, or has failed, or that are still open a day later, '
  'oldest first. Their address cannot register again until it is released. Normally empty. Payments whose rows were lost with a backup: '
  'ops.lost_registrations.';
