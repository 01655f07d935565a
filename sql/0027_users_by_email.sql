-- Outside a transaction

drop index concurrently if exists users_by_email;

-- For operators who have only the address of a mail.
create index concurrently users_by_email on users (email);
