-- Outside a transaction
-- The sessions of a user that have not been ended: each log-in and each reset looks for them, however many there have been.
drop index concurrently if exists user_sessions_not_ended;

create index concurrently user_sessions_not_ended on user_sessions (user_id) where revoked_at is null;
