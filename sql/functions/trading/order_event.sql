-- The data of an order event: of a verb that has ended, or, with action `lifecycle`, of the new state of a resting order. `o`: see
-- partner_order_event. Its code is that of v2 (src/kernel/codes-of-v2.ts).
create or replace function order_event(verb text, subject uuid, o orders, i intents) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'order_uuid', name_of_order(subject, o, i),
    'intent_id', i.id,
    'action', verb,
    'status', case
      when i.id is null or i.state = 'succeeded' then 'completed'
      when is_undecided(i.outcome) then 'unknown'
      else 'failed'
    end,
    'lifecycle', o.lifecycle,
    'trade_pair', coalesce(o.pair, i.request ->> 'trade_pair', i.request -> 'protection' ->> 'trade_pair'),
    'execution_type', terms_of(o.id, o.terms) ->> 'execution_type',
    'order_type', terms_of(o.id, o.terms) ->> 'order_type',
    'code', regexp_replace(i.outcome -> 'problem' ->> 'code', '^V1_', 'V2_'),
    'message', coalesce(i.outcome -> 'problem' ->> 'message', i.outcome -> 'result' ->> 'message'),
    'executed', coalesce(o.executed, nullif(i.outcome -> 'result' -> 'executed', 'null'::jsonb))
  )
$$;
