-- The id of the statement line of a fill or a fee: made of all that tells it from others, so that the primary key states it once. It begins as the id
-- of its order or verb (`subject`) does: with the time, so that new lines are stored together. An id without order costs a read of the disk each time
-- once the index has outgrown the memory; an order whose id is made of its caller's still does.
create or replace function statement_id(of_owner text, kind text, account text, reference text, progress numeric, subject uuid) returns text
language sql stable as $$
  select 'stl_' || left(replace(subject::text, '-', ''), 12) || left(encode(sha256(convert_to(s.stated::text, 'utf8')), 'hex'), 20)
  from (select jsonb_build_array(of_owner, kind, account, reference, trim_scale(progress)) as stated) s
$$;
