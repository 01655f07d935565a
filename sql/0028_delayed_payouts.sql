alter table payouts
  add column delayed_for text,
  add column delayed_since timestamptz;

comment on column payouts.delayed_for is 'Why its step waits, if that is not its own fault: the processor''s or the platform''s. Null: it does not.';
comment on column payouts.pay_after is 'When its next step is requested: its money is not available at the trader''s account before, or the platform or the processor is waited for. Null: nothing to wait for.';

create index payouts_delayed on payouts (delayed_since) where delayed_since is not null;
