-- An entry of wanted exits without some of its legs (take_profit, stop_loss, trailing_stop). Null if none of them is left.
create or replace function without_legs(entry jsonb, legs text[]) returns jsonb
language sql immutable as $$
  select case when legs = '{}' or l.entry -> 'take_profit' <> 'null' or l.entry -> 'stop_loss' <> 'null' or l.entry -> 'trailing_stop' <> 'null'
    then l.entry
  end
  from (
    select entry || coalesce((select jsonb_object_agg(g.leg, null) from unnest(legs) as g (leg)), '{}') as entry
  ) l
$$;
