-- Web processes know a key for a second: one that is revoked, or that is rolled without an overlap, is forgotten at once. Its last use is
-- no change.
create trigger partner_keys_announce after update of revoked_at, expires_at or delete on partner_keys
  for each statement execute function announce_partners();
