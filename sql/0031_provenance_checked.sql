-- Outside a transaction
alter table connect_accounts validate constraint connect_accounts_reason_known;

alter table connect_accounts validate constraint connect_accounts_detached_has_reason;

alter table operator_actions validate constraint operator_actions_known;

drop index concurrently if exists connect_accounts_of_user;

create index concurrently connect_accounts_of_user on connect_accounts (user_id);

drop index concurrently if exists mails_waiting;

create index concurrently mails_waiting on mails (tenant) where state = 'queued';
