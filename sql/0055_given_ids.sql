alter table intents add column given_id uuid;
comment on column intents.given_id is 'The caller''s own name of the order that it places; its id is made of it and the owner (order_id_of). Null: the caller gave none, or an earlier version took it as the id.';

alter table orders add column given_id uuid;
comment on column orders.given_id is 'Its owner''s own name of it, as in its intent. The venue has the id.';
