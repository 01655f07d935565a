alter table orders validate constraint orders_lifecycle_known;
