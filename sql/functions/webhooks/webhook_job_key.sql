-- The key of an endpoint's job: of one of its lanes by number, or of its planned `dispatch`.
create or replace function webhook_job_key(endpoint text, job text) returns text
language sql immutable as $$
  select format('webhook:%s:%s', endpoint, job)
$$;
