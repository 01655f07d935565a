alter table prop_accounts add column breach jsonb;

comment on column prop_accounts.breach is 'Of an account that the network eliminated: the rule that it broke and its figures there, in percent. Null: the network showed none that was broken.';
