-- The time that `sortable_id` has put into an id, to the millisecond; null for an id of another form.
create or replace function sortable_time(id text) returns timestamptz
language sql immutable as $$
  select case when id ~ '^[a-z]{3}_[0-9a-f]{32}$'
    then timestamptz 'epoch' + ('x' || substr(id, 5, 12))::bit(48)::bigint * interval '1 millisecond'
  end
$$;
