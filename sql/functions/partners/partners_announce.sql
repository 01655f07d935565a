-- Web processes know a key for a second: a partner that is disabled, or has another quota, is forgotten at once.
create trigger partners_announce after update or delete on partners
  for each statement execute function announce_partners();
