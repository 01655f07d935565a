-- Identity verification of end users, one case per user, moved by the processor's word on its newest session.
create table kyc_cases (
  user_id text primary key references users (id),
  owner text not null references apps (id),
  provider text not null,
  session_id text not null,
  status text not null default 'unverified' constraint kyc_cases_status_known
    check (status in ('unverified', 'processing', 'needs_input', 'verified', 'failed')),
  status_at timestamptz,
  failure_reason text,
  verified_at timestamptz,
  looked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint kyc_cases_verified_has_time check ((status = 'verified') = (verified_at is not null))
);
create index kyc_cases_open on kyc_cases (created_at) where verified_at is null;

comment on column kyc_cases.status_at is 'When the processor said so, by its clock: older words change nothing.';

-- Records a verification session that was made: the end of its intent and the user's case. A case that is verified stays so.
create function record_verification_session(intent uuid, held_fence integer, said jsonb, session text) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  insert into kyc_cases as k (user_id, owner, provider, session_id)
  select i.asked ->> 'user_id', i.owner, 'processor_identity', session
  from intents i
  where i.id = intent
  on conflict (user_id) do update
  set session_id = excluded.session_id
  where k.verified_at is null;
  return true;
end $$;
