create or replace function ops.dismiss(subject text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  intent uuid := case when subject ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then subject::uuid end;
  is_open boolean := exists (select from ops.undecided_intents u where u.intent_id = intent)
    or exists (select from ops.lost_money m where m.processor_id = dismiss.subject);
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  is_open := is_open or end_lasting_doubt(intent);
  update lost_money l
  set closed_at = now()
  where is_open and l.processor_id = dismiss.subject;
  verdict := case
    when is_open then 'done'
    when exists (select from lost_money l where l.processor_id = dismiss.subject) then 'not_open'
    when exists (select from intents i where i.id = intent) then 'not_open'
    else 'unknown'
  end;
  perform ops.note(who, 'dismiss', coalesce(intent::text, dismiss.subject), why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.dismiss(text, text, text) is
  'Takes a row off ops.undecided_intents (its intent_id) or ops.lost_money (its processor_id), once you have done what it needs, or seen that there '
  'is nothing left to do. Nothing else changes: an effect stays unknown, and a lost transfer counts as paid out. A payment that a later '
  'recovery finds paid is listed again. Also ends an intent of ops.intents_in_doubt that is absent although its nonce is used. '
  'Verdicts: done, not_open, unknown. Recorded in ops.actions.';
