-- As take_processor_events, for a page of the processor's list: in the same transaction the sweep moves behind the page. `next_after` null:
-- it was the last page.
create or replace function take_event_page(of_sweep integer, batch jsonb, next_after text) returns table (event_id text, new_outcome text)
language plpgsql as $$
begin
  update processor_cursor
  set after_event = coalesce(next_after, after_event), is_read = next_after is null
  where sweep = of_sweep and not is_read;
  return query select * from take_processor_events(batch, 'listed');
end $$;
