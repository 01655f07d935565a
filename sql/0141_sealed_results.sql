-- Members of an intent's result that let whoever holds them act as a user: sealed, beside the outcome that names the rest.
create table sealed_results (
  intent_id uuid primary key references intents (id) on delete cascade,
  sealed bytea not null
);

-- Those that lie in outcomes are struck out; a user who still needs one asks for a new one.
update intents
set outcome = jsonb_set(jsonb_set(outcome, '{result,url}', 'null'), '{result,client_secret}', 'null')
where kind = 'kyc/session' and state = 'succeeded';

update intents
set outcome = jsonb_set(outcome, '{result,onboarding_url}', 'null')
where kind = 'payouts/link' and state = 'succeeded';
