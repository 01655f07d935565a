alter table admins
  add column invitation_digest bytea constraint admins_invitation_taken unique,
  add column invitation_expires_at timestamptz,
  alter column password_hash drop not null;
comment on column admins.password_hash is 'Null until an invitation has been accepted.';
comment on column admins.invitation_digest is 'SHA-256 of the mailed token that sets a password, once.';

alter table operator_actions drop constraint operator_actions_known;
alter table operator_actions add constraint operator_actions_known check (action in (
  'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
  'resolve_payout', 'move_link', 'release_registration', 'dismiss_event', 'detach_payout_account', 'disable_operator', 'enable_operator',
  'end_operator_sessions', 'remove_operator_authenticator'
)) not valid;
