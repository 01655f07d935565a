-- Emits an event about an enrollment that was made, changed or revoked. Body of trigger enrollments_emit.
create or replace function emit_enrollment() returns trigger
language plpgsql as $$
declare
  changed enrollments := case when tg_op = 'DELETE' then old else new end;
begin
  perform emit_event(p.id, 'enrollment.updated', jsonb_build_object(
    'ex_wallet', changed.ex_wallet,
    'status', case
      when tg_op = 'DELETE' then 'revoked'
      when exists (
        select
        from signing_keys k
        where k.owner = changed.owner and k.ex_wallet = changed.ex_wallet and k.retired_at is null and not k.waits
          and k.rejected_at is not null
      ) then 'rejected_by_venue'
      else 'enrolled'
    end,
    'payout_wallet', changed.payout_wallet,
    'label', changed.label,
    'key_version', (
      select max(k.key_version)
      from signing_keys k
      where k.owner = changed.owner and k.ex_wallet = changed.ex_wallet and not k.waits
    )
  ))
  from partners p
  where p.id = changed.owner;
  return null;
end $$;
