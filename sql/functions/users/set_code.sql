-- Sets the one valid code of an address and its number of attempts. A null digest: no code matches. Locks that code.
create or replace function set_code(app text, address text, code_hmac bytea, attempts integer, lives_s integer) returns void
language sql as $$
  insert into one_time_codes (app_id, email, hmac, attempts_left, expires_at)
  values (app, address, code_hmac, attempts, now() + make_interval(secs => lives_s))
  on conflict (app_id, email) do update
  set hmac = excluded.hmac, attempts_left = excluded.attempts_left, expires_at = excluded.expires_at, used_at = null,
    tries = '{}'
$$;
