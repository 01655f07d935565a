-- Looks at the rows that were there before, beside traffic.
alter table operator_actions validate constraint operator_actions_who_said;
alter table operator_actions validate constraint operator_actions_known;
alter table prop_accounts validate constraint prop_accounts_given_up_whole;
alter table prop_accounts validate constraint prop_accounts_given_up_failed;
