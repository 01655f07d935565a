-- The id of the statement line of a fill or a fee, made of everything that identifies it, so that the primary key allows it once. It begins like the
-- id of its order or verb (`subject`) with the time, so that new lines are stored together: an unordered id costs a read of the disk each time once
-- the index exceeds the memory (which remains so for orders under an id of the caller).
create or replace function statement_id(of_owner text, kind text, account text, reference text, progress numeric, subject uuid) returns text
language sql stable as $$
  select 'stl_' || left(replace(subject::text, '-', ''), 12) || left(encode(sha256(convert_to(s.stated::text, 'utf8')), 'hex'), 20)
  from (select jsonb_build_array(of_owner, kind, account, reference, trim_scale(progress)) as stated) s
$$;
