create or replace view ops.attention as
select 'failed_mails' as what, count(*)::integer as count
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
select 'disputes', count(*)::integer
from payment_losses l
where l.kind = 'dispute' and l.status in ('needs_response', 'warning_needs_response', 'appeal_needs_response')
union all
select 'suspect_payments', count(*)::integer
from ops.suspect_payments;
comment on view ops.attention is
  'What waits for a person: mails that were given up within the hour, but for those of disabled owners, payouts that are stranded, intents that '
  'ended within a day with an unknown effect, registrations that were paid and not recorded, disputes that need a response, suspect '
  'payments.';
