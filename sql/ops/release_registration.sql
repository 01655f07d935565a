create or replace function ops.release_registration(payment text, who text, why text, paid_by text default null) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  perform from registrations r where lower(r.tx_hash) = lower(payment) for update; -- a worker may be recording what became of it
  if paid_by is null and (
    select count(distinct w.payer)
    from (
      select l.payer
      from lost_registrations l
      where l.tx_hash = lower(payment) and l.released_at is null
      union all
      select u.payer
      from ops.unrecorded_registrations u
      where lower(u.tx_hash) = lower(payment)
    ) w
  ) > 1 then
    perform ops.note(who, 'release_registration', payment, why, jsonb_build_object('verdict', 'ambiguous'));
    return 'ambiguous';
  end if;
  update lost_registrations l
  set released_at = now()
  where l.tx_hash = lower(payment) and l.payer = coalesce(lower(paid_by), l.payer) and l.released_at is null;
  verdict := case when found then 'done' else 'unknown' end;
  update registrations r
  set status = 'failed', released_at = now(), updated_at = now(),
    message = case
      when r.status = 'failed' then r.message
      else 'The payment settled, but no account was created. An operator has ended the registration.'
    end
  where lower(r.tx_hash) = lower(payment) and r.payer = coalesce(lower(paid_by), r.payer)
    and r.id in (select u.registration_id from ops.unrecorded_registrations u);
  verdict := case when found then 'done' else verdict end;
  perform ops.note(who, 'release_registration', payment, why, jsonb_build_object('verdict', verdict, 'paid_by', paid_by));
  return verdict;
end $$;
comment on function ops.release_registration(text, text, text, text) is
  'Lets the payer of a payment in ops.lost_registrations buy again, once you know which address was registered with it, or an address whose '
  'payment the registrar took and never recorded, or for which it got no account (ops.unrecorded_registrations), once the registrar has returned it '
  'or will not record it: the registration ends as failed. '
  'Verdicts: done, unknown (not there, or released), ambiguous (the transaction paid for several payers, and nothing was released: name one in '
  'paid_by). Recorded in ops.actions.';
