alter table intents add column unknown_because text;

comment on column intents.unknown_because is 'Why it was last in doubt: a code or sentence of this service, or a code of Node. It stays when the intent ends.';

alter table operator_actions drop constraint operator_actions_known;
alter table operator_actions add constraint operator_actions_known check (action in (
  'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
  'resolve_payout', 'move_link'
));
