create or replace view ops.transactions as
select *
from ops.list_transactions();
comment on view ops.transactions is
  'Open transactions of the database, oldest first, without autovacuum''s and this one: those that the owner of the database may see. While an old '
  'one is open, nothing is cleaned up that was deleted since. One with prepared_as is ended by rollback prepared, any other by '
  'pg_terminate_backend(pid).';
