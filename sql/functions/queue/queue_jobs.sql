-- All jobs of the queue: task, payload, due time and holder. This is the only file that names the queue's private tables; all other code
-- uses the queue's public functions or this view. The view is updatable, and conditions on `is_available` with an order by `priority,
-- run_at` use the queue's index.
create or replace view queue_jobs as
select j.id,
  (select t.identifier from graphile_worker._private_tasks t where t.id = j.task_id) as task,
  j.payload, j.key, j.priority, j.run_at, j.is_available, j.attempts, j.max_attempts, j.locked_at, j.locked_by, j.last_error, j.created_at,
  j.updated_at
from graphile_worker._private_jobs j;
comment on view queue_jobs is 'Jobs of the queue, with payloads. Views for operators show only the parts that an operator may see.';
