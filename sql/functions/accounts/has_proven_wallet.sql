-- Whether a partner has proven control of a wallet: by a signature, or by a live key that the exchange confirmed for it and has not ended.
create or replace function has_proven_wallet(of_owner text, wallet text) returns boolean
language sql stable as $$
  select exists (select from wallet_proofs p where p.owner = of_owner and p.ex_wallet = wallet)
    or exists (
      select
      from signing_keys k
      where k.owner = of_owner and k.ex_wallet = wallet and k.retired_at is null and k.verified_at is not null
        and (k.valid_until is null or k.valid_until > now())
    )
$$;
