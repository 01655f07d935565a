-- Wipes the keys that were rotated out, unless an open intent was signed with them. One that somebody holds is left to the next run. Returns how
-- many.
create or replace function wipe_retired_keys() returns bigint
language sql as $$
  with wiped as (
    update signing_keys
    set sealed = null
    where id in (
      select k.id
      from signing_keys k
      where k.retired_at is not null
        and k.sealed is not null
        and not exists (
          select
          from intents i
          where (i.phase = 'pending' or i.phase = 'in_doubt')
            and i.sent_payload ->> 'key_id' = k.id::text
        )
      for no key update of k skip locked
    )
    returning id
  )
  select count(*) from wiped
$$;
