-- Web processes know a key for a second: one that is revoked is forgotten at once.
create trigger partner_keys_announce after update or delete on partner_keys
  for each statement execute function announce_partners();
