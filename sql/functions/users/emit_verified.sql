-- Emits an event about a user whose address is proven for the first time, to the user's app. Body of trigger users_emit.
create or replace function emit_verified() returns trigger
language plpgsql as $$
begin
  if old.verified_at is null and new.verified_at is not null then
    perform emit_event(new.app_id, 'user.verified', jsonb_build_object('user_id', new.id));
  end if;
  return null;
end $$;
