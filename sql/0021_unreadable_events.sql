alter table processor_events
  add column closed_at timestamptz,
  add column closed_by text,
  add column closed_why text;

comment on column processor_events.closed_at is 'Of an unreadable event: when an operator closed it. Until then it stops the account it is about, and it is not deleted.';

alter table operator_actions drop constraint operator_actions_known;
alter table operator_actions add constraint operator_actions_known check (action in (
  'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
  'resolve_payout', 'move_link', 'release_registration', 'dismiss_event'
)) not valid;

alter table payments drop constraint payments_stop_known;
alter table payments add constraint payments_stop_known check (stopped_for in ('refunded', 'disputed', 'under_review')) not valid;
