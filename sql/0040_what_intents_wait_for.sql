alter table intents add column pace text;

comment on column intents.pace is 'While it is queued: what its upstream takes only so many of in a minute (see paces), if it waits for that.';

alter table intent_kinds add column is_exit boolean not null default false;

comment on column intent_kinds.is_exit is 'Whether it reduces what its trader risks, whatever its request says: a cancellation, a close, protection.';

update intent_kinds
set is_exit = true
where kind in ('exchange/cancel', 'exchange/close', 'exchange/protect', 'network/cancel', 'network/close', 'network/protect');
