-- Outside a transaction
alter table operator_actions
  drop constraint if exists operator_actions_known,
  add constraint operator_actions_known check (action in (
    'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'pause', 'end_pause', 'rerun_job', 'retry_delivery', 'retry_deliveries',
    'reverse_payout', 'resolve_payout', 'move_link', 'release_registration', 'dismiss_event', 'dismiss', 'detach_payout_account', 'disable_operator',
    'enable_operator', 'end_operator_sessions', 'remove_operator_authenticator'
  )) not valid;

alter table operator_actions validate constraint operator_actions_known;

alter table lost_money add column if not exists closed_at timestamptz;

comment on column lost_money.closed_at is
  'When an operator had done what it needs. Null: it waits for that, or was paid since.';
