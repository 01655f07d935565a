-- Records what was found at the processor of the payout step whose effect is unknown, and by whom: the object it made (`made`), or
-- proof that it made none (null). Found: as if its response had arrived. None: the money may be moved again, by a new step. `step_intent`:
-- the step that was looked up; null: the one whose effect is unknown. Verdicts: done | unknown | not_open (no step of unknown effect) |
-- malformed (an id of another kind of object) | taken (the object is of another step). Locks the payout, then its event log. Item: as for
-- begin_payout_step.
create or replace function resolve_payout(
  payout text, by_operator text, because text, made text, arrival text, item jsonb, step_intent uuid default null, noted jsonb default '{}',
  made_at timestamptz default null
) returns text
language plpgsql as $$
declare
  s payout_steps;
  p payouts;
  prefix text;
begin
  select * into p from payouts where id = payout for no key update;
  if p.id is null then
    return 'unknown';
  end if;
  select * into s from payout_steps o where o.payout_id = payout and o.state = 'unknown';
  prefix := case s.step when 'transfer' then 'tr_' when 'payout' then 'po_' else 'trr_' end;
  if s.intent_id is null or s.intent_id <> coalesce(step_intent, s.intent_id) then
    return 'not_open';
  elsif made !~ ('^' || prefix || '\w+$') then
    return 'malformed';
  elsif exists (select from payout_steps o where o.processor_id = made) then
    return 'taken';
  end if;
  update intents
  set outcome = case when made is null then outcome #- '{problem,effect}' else jsonb_set(outcome, '{problem,effect}', '"done"') end
  where id = s.intent_id;
  if made is null then
    update payout_steps
    set state = case when step = 'transfer' then 'unsent' else 'failed' end, failure_reason = 'not_carried_out', ended_at = now()
    where intent_id = s.intent_id;
    perform settle_payout(payout);
  else
    perform note_step(s.intent_id, made, arrival, item, made_at);
  end if;
  perform record_action(by_operator, 'resolve_payout', payout, null, p.prop_account_id, because,
    noted || jsonb_build_object('verdict', 'done', 'step', s.step, 'intent_id', s.intent_id, 'found', made));
  return 'done';
end $$;
