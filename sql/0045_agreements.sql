-- Who signed what: one chain of rows per app, each row holding the hash of the one before it.
create table agreement_signatures (
  id text primary key,
  app text not null references apps (id),
  user_id text not null,
  place bigint not null,
  agreement_version text not null,
  signature_name text not null,
  document_url text,
  document_sha256 text,
  address text,
  user_agent text,
  signed_at timestamptz(3) not null,
  previous_hash text not null,
  row_hash text not null,
  constraint agreement_signatures_one_chain unique (app, place)
);
create index agreement_signatures_by_user on agreement_signatures (app, user_id, place);

comment on table agreement_signatures is 'Append only: triggers refuse update, delete and truncate.';
comment on column agreement_signatures.address is 'The signer''s address of the net, as the app reported it or as we saw it.';
comment on column agreement_signatures.previous_hash is 'Row hash at the place before; 64 zeros at place 1.';
comment on column agreement_signatures.row_hash is 'SHA-256 in hexadecimal of the canonical bytes: see agreement_canonical.';

-- How far each chain has come, so that rows missing from its end are noticed.
create table agreement_chains (
  app text primary key references apps (id),
  length bigint not null,
  last_hash text not null
);

-- A value as its length in bytes, a colon, its bytes in UTF-8, and a comma; an absent one as a tilde and a comma.
create function netstring(value text) returns text
language sql immutable as $$
  select coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '~') || ','
$$;

-- The canonical bytes of a row: netstrings of these members, in this order, the time as ISO-8601 in UTC with milliseconds.
create function agreement_canonical(r agreement_signatures) returns bytea
language sql stable as $$
  select convert_to(
    netstring('agreement/1') || netstring(r.previous_hash) || netstring(r.app) || netstring(r.place::text) || netstring(r.id)
      || netstring(r.user_id) || netstring(r.agreement_version) || netstring(r.signature_name) || netstring(r.document_url)
      || netstring(r.document_sha256) || netstring(r.address) || netstring(r.user_agent)
      || netstring(to_char(r.signed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
    'UTF8')
$$;

-- Adds a signature at the end of its app's chain. Signers of one app wait for one another.
create function sign_agreement(
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
  select c.length + 1, c.last_hash into signed.place, signed.previous_hash from agreement_chains c where c.app = of_app;
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
  update agreement_chains c set length = signed.place, last_hash = signed.row_hash where c.app = of_app;
  return signed;
end $$;

create trigger agreement_signatures_are_append_only before update or delete on agreement_signatures
  for each row execute function refuse_change();
create trigger agreement_signatures_are_not_emptied before truncate on agreement_signatures
  for each statement execute function refuse_change();
