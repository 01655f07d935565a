create or replace function ops.resolve_payout(payout text, made text, who text, why text, deadline_s double precision default 3600) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(payout, who, 'resolve_payout', why, case
    when made is null then 'malformed'
    else resolve_payout(payout, session_user, why, nullif(made, 'nothing'), null,
      jsonb_build_object('id', gen_random_uuid(), 'deadline_s', deadline_s), null, ops.given_name(who))
  end)
$$;
comment on function ops.resolve_payout(text, text, text, text, double precision) is
  'Records what you found at the processor of the step of a payout whose effect is unknown: the id of the transfer (tr_), payout (po_) or '
  'reversal (trr_) with its intent''s id in the metadata, or ''nothing'' if you have read the whole list and there is none. After ''nothing'' the '
  'money may be moved again: the console looks for you and is safer. Verdicts: done, unknown, not_open, malformed, taken. Recorded in ops.actions.';
