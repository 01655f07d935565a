import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'MoneyTasksFail' },
  async happens({ session }) {
    await session.query(`
      insert into processor_events (id, type, said_at, fact, object_id, source)
      values ('evt_bug', 'payment_intent.succeeded', now(), '{}', 'pi_bug', 'notified')`);
    const { id } = only(
      await session.query(
        `select (graphile_worker.add_job('payments/notified', '{"event_id": "evt_bug"}', run_at => now() + interval '1 hour')).id::text as id`,
      ),
    );
    await session.query(`update queue_jobs set attempts = 7, last_error = 'a bug' where id = $1`, [id]);
    return { id };
  },
  steps: [
    [
      'select * from ops.jobs where attempts > 4: last_error of each',
      async ({ psql }, { id }) => {
        const jobs = await psql('select * from ops.jobs where attempts > 4');
        finds(jobs.find(({ job_id }) => String(job_id) === id)?.last_error === 'a bug', 'why');
      },
    ],
    ['Run the version before', async () => {}],
    [
      'select * from ops.rerun_job(the job, name, reason)',
      async ({ psql }, { id }) =>
        finds(only(await psql(`select * from ops.rerun_job($1, 'ada', 'rolled back')`, [id])).done, 'that it is done'),
    ],
  ],
  isOver: async ({ session }, { id }) =>
    only(await session.query('select run_at <= now() as done from queue_jobs where id = $1', [id])).done === true,
});
