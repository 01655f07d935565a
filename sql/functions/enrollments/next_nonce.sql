-- Returns the last of `count` new nonces of a signer; the others are the integers before it. Nonces are milliseconds, unique and increasing
-- across all workers.
create or replace function next_nonce(of_signer text, count integer) returns bigint
language sql as $$
  insert into signer_nonces as n (signer, last_nonce)
  values (of_signer, floor(extract(epoch from clock_timestamp()) * 1000)::bigint + count - 1)
  on conflict (signer) do update
  set last_nonce = greatest(n.last_nonce + count, excluded.last_nonce)
  returning last_nonce
$$;
