-- Appends a signature to its app's chain. Signers of one app wait for each other.
create or replace function sign_agreement(
  of_app text, by_user text, version text, name text, url text, sha256 text, from_address text, agent text
) returns agreement_signatures
language plpgsql as $$
declare
  signed agreement_signatures;
begin
  perform pg_advisory_xact_lock(884423, hashtext(of_app));
  insert into agreement_chains as c (app, length, last_hash)
  values (of_app, 0, repeat('0', 64))
  on conflict (app) do nothing;
  select c.length + 1, c.last_hash into signed.position, signed.previous_hash from agreement_chains c where c.app = of_app;
  signed.id := sortable_id('agr');
  signed.app := of_app;
  signed.user_id := by_user;
  signed.agreement_version := version;
  signed.signature_name := name;
  signed.document_url := url;
  signed.document_sha256 := sha256;
  signed.address := from_address;
  signed.user_agent := agent;
  signed.signed_at := date_trunc('milliseconds', clock_timestamp());
  signed.row_hash := encode(sha256(agreement_canonical(signed)), 'hex');
  insert into agreement_signatures select signed.*;
  update agreement_chains c set length = signed.position, last_hash = signed.row_hash where c.app = of_app;
  return signed;
end $$;
