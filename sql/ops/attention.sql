create or replace view ops.attention as
select 'failed_mails' as what, -- of one or two recipients that a mail server rejects, the address is wrong
  case when bool_or(m.state = 'expired') or count(distinct m.recipient) > 2 then count(*) else 0 end::integer as count
from mails m
where m.state in ('refused', 'expired') and m.ended_at > now() - interval '1 hour'
  and m.fault is distinct from 'app_disabled' -- that one, and those of disabled owners, were held on purpose
  and not exists (select from apps a where a.id = m.tenant and a.disabled_at is not null)
  and not exists (select from partners p where p.id = m.tenant and p.disabled_at is not null)
union all
select 'stranded_payouts', count(*)::integer
from ops.stranded_payouts
union all
select 'undecided_intents', count(*)::integer
from ops.undecided_intents u
where u.settled_at > now() - interval '1 day'
union all
select 'unrecorded_registrations', count(*)::integer
from ops.unrecorded_registrations
union all
select 'failed_accounts', count(*)::integer -- those that were paid for are in ops.paid_without_account
from ops.failed_accounts f
where f.payment_id is null
union all
select 'unapplied_events', count(*)::integer
from processor_events e
where e.acted_at is null and e.received_at < now() - interval '10 minutes'
union all
select 'lost_money', count(*)::integer
from ops.lost_money l
where l.kind = 'transfer' or l.status is distinct from 'canceled' -- of which nothing was paid
union all
select 'lost_registrations', count(*)::integer
from ops.lost_registrations r
where r.released_at is null
union all
select 'approvals', count(*)::integer
from approvals p
where p.decision is null and p.expires_at > now()
union all
select 'disputes', count(*)::integer
from payment_losses l
where l.kind = 'dispute' and l.status in ('needs_response', 'warning_needs_response', 'appeal_needs_response')
union all
select 'suspect_payments', count(*)::integer
from ops.suspect_payments;
comment on view ops.attention is
  'What waits for a person: mails that were given up within the hour, but for those of disabled owners and of one or two wrong addresses, payouts '
  'that are stranded, intents that ended within a day with an unknown effect, registrations that were paid and not recorded, free accounts that '
  'could not be created, events of the processor that were not applied within 10 minutes, money and registrations whose rows were lost with a '
  'backup, requests of operators that need another one''s approval, disputes that need a response, suspect payments.';
