-- The id of the statement line of a fill or a fee: made of all that tells it from others, so that the primary key states it once.
create or replace function statement_id(of_owner text, kind text, account text, reference text, progress numeric) returns text
language sql stable as $$
  select 'stl_' || left(encode(sha256(convert_to(s.stated::text, 'utf8')), 'hex'), 32)
  from (select jsonb_build_array(of_owner, kind, account, reference, trim_scale(progress)) as stated) s
$$;
