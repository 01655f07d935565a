-- Rejects the statement: the table is append only. Body of the triggers …_append_only.
create or replace function reject_change() returns trigger
language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name using errcode = 'restrict_violation';
end $$;
