-- The canonical bytes of a row: netstrings of these members in this order. The time is ISO-8601 in UTC with milliseconds.
create or replace function agreement_canonical(r agreement_signatures) returns bytea
language sql stable as $$
  select convert_to(
    netstring('agreement/1') || netstring(r.previous_hash) || netstring(r.app) || netstring(r.position::text) || netstring(r.id)
      || netstring(r.user_id) || netstring(r.agreement_version) || netstring(r.signature_name) || netstring(r.document_url)
      || netstring(r.document_sha256) || netstring(r.address) || netstring(r.user_agent)
      || netstring(to_char(r.signed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
    'UTF8')
$$;
