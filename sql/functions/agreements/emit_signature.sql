-- Emits an event about an agreement that a user has signed, to the user's app. Body of trigger agreement_signatures_emit.
create or replace function emit_signature() returns trigger
language plpgsql as $$
begin
  perform emit_event(new.app, 'agreement.signed', jsonb_build_object(
    'signature_id', new.id,
    'user_id', new.user_id,
    'agreement_version', new.agreement_version,
    'document_sha256', new.document_sha256,
    'row_hash', new.row_hash
  ));
  return null;
end $$;
