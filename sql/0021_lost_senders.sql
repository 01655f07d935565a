alter table intents add column sender_lost boolean not null default false;

comment on column intents.sender_lost is 'Whether the worker that marked it as sending ended before the response. Its request may never have left.';
