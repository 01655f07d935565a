-- The steps of an end user's way in, each one transaction and one round trip.

-- Makes a user, or finds the one of that address and changes nothing about it. Either way one code counts and one mail goes out.
create function sign_up(
  app text, address text, new_id text, new_hash text, code_mark bytea, tries integer, lives_s integer, mail uuid, sealed bytea
) returns text
language plpgsql as $$
declare
  known record;
  made boolean;
begin
  insert into users (id, app_id, email, password_hash)
  values (new_id, app, address, new_hash)
  on conflict on constraint users_email_once do nothing;
  made := found;
  select u.id, u.verified_at is not null as verified into known
  from users u
  where u.app_id = app and u.email = address;
  perform set_code(app, address, case when not known.verified then code_mark end, tries, lives_s);
  perform post_mail(mail,
    case when known.verified then 'account_exists' when made then 'verify_email' else 'verify_email_again' end,
    address, jsonb_build_object('app', a.name), case when not known.verified then sealed end, lives_s)
  from apps a
  where a.id = app;
  return known.id;
end $$;

-- Makes a new code for an unverified user of that address; for any other address, one that nothing matches and no mail.
create function renew_code(
  app text, address text, code_mark bytea, tries integer, lives_s integer, mail uuid, sealed bytea
) returns void
language plpgsql as $$
declare
  waits boolean;
begin
  waits := exists (select from users u where u.app_id = app and u.email = address and u.verified_at is null);
  perform set_code(app, address, case when waits then code_mark end, tries, lives_s);
  perform post_mail(mail, case when waits then 'verify_email' else 'none' end, address, jsonb_build_object('app', a.name),
    case when waits then sealed end, lives_s)
  from apps a
  where a.id = app;
end $$;

-- Counts one attempt, compares, and spends the code if it matches: one update, so that no more attempts are ever compared than
-- were counted and a code works once. Verdicts: expired (no code counts any more) | wrong | verified.
create function try_code(app text, address text, marks bytea[]) returns text
language plpgsql as $$
declare
  matched boolean;
begin
  update one_time_codes c
  set attempts_left = c.attempts_left - 1,
    used_at = case when c.mark = any(marks) then now() end
  where c.app_id = app and c.email = address
    and c.used_at is null and c.attempts_left > 0 and c.expires_at > now()
  returning c.used_at is not null into matched;
  return case when matched is null then 'expired' when matched then 'verified' else 'wrong' end;
end $$;

create function open_user_session(
  for_user text, session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
begin
  insert into user_sessions (id, digest, user_id, address, expires_at)
  values (session, session_digest, for_user, from_address, now() + make_interval(secs => lives_s));
  perform note_known_address(for_user, address_digest);
  return now() + make_interval(secs => lives_s);
end $$;

-- Verifies an address by its code and opens a session. The verdict is try_code's.
create function verify_email(
  app text, address text, marks bytea[],
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns table (verdict text, user_id text, expires_at timestamptz)
language plpgsql as $$
begin
  verdict := try_code(app, address, marks);
  if verdict = 'verified' then
    update users u
    set verified_at = coalesce(u.verified_at, now())
    where u.app_id = app and u.email = address
    returning u.id into user_id;
    expires_at := open_user_session(user_id, session, session_digest, lives_s, from_address, address_digest);
  end if;
  return next;
end $$;

-- Opens a session for a user whose password was found right, and only where it still is the user's. With TOTP on, only for a time
-- step later than the last one accepted: of many uses of one code exactly one passes. Null: refused.
create function log_in(
  for_user text, checked_hash text, new_hash text, step bigint,
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
begin
  update users u
  set totp_step = coalesce(step, u.totp_step), password_hash = coalesce(new_hash, u.password_hash)
  where u.id = for_user and u.password_hash = checked_hash and u.verified_at is not null
    and case when u.totp_enabled_at is null then step is null else step > u.totp_step end;
  if not found then
    return null;
  end if;
  return open_user_session(for_user, session, session_digest, lives_s, from_address, address_digest);
end $$;

-- Makes the one reset token of an address that counts. For an address nobody has: one that leads nowhere, and no mail.
create function request_reset(app text, address text, token_digest bytea, lives_s integer, mail uuid, sealed bytea) returns void
language plpgsql as $$
declare
  known text;
begin
  select u.id into known from users u where u.app_id = app and u.email = address;
  insert into password_resets as r (app_id, email, user_id, digest, expires_at)
  values (app, address, known, token_digest, now() + make_interval(secs => lives_s))
  on conflict (app_id, email) do update
  set user_id = excluded.user_id, digest = excluded.digest, expires_at = excluded.expires_at, used_at = null;
  perform post_mail(mail, case when known is null then 'none' else 'reset_password' end, address,
    jsonb_build_object('app', a.name), case when known is not null then sealed end, lives_s)
  from apps a
  where a.id = app;
end $$;

-- Spends a reset token: the password is the new one, the address is proven, every session has ended, and the user is told.
-- Null: no such token counts.
create function confirm_reset(
  app text, address text, token_digest bytea, new_hash text, address_digest bytea, mail uuid, told_s integer
) returns text
language plpgsql as $$
declare
  known text;
begin
  update password_resets r
  set used_at = now()
  where r.app_id = app and r.email = address and r.digest = token_digest
    and r.user_id is not null and r.used_at is null and r.expires_at > now()
  returning r.user_id into known;
  if known is null then
    return null;
  end if;
  update users u set password_hash = new_hash, verified_at = coalesce(u.verified_at, now()) where u.id = known;
  update user_sessions s set revoked_at = now() where s.user_id = known and s.revoked_at is null;
  update one_time_codes c set attempts_left = 0 where c.app_id = app and c.email = address;
  perform note_known_address(known, address_digest);
  perform post_mail(mail, 'password_changed', address, jsonb_build_object('app', a.name), null, told_s) from apps a where a.id = app;
  return known;
end $$;
