-- Records that an account was entered from a network address.
create or replace function note_known_address(of_account text, from_address bytea) returns void
language sql as $$
  insert into known_addresses (account, address)
  values (of_account, from_address)
  on conflict (account, address) do update set seen_at = now()
$$;
