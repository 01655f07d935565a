-- The id of the order that an order verb is about: the protecting order that it placed or changed, the one it was to change, or the one it
-- was to place.
create or replace function verb_subject(i intents) returns uuid
language sql immutable as $$
  select case when m.named ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then m.named::uuid else i.id end
  from (select coalesce(i.sent_payload ->> 'bracket', i.request ->> 'target') as named) m
$$;
