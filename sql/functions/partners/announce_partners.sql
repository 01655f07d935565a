-- Notifies every web process that a partner or one of its keys has changed: they know a key for a second (partnerFinder).
create or replace function announce_partners() returns trigger
language plpgsql as $$
begin
  perform pg_notify('partners', '');
  return null;
end $$;
