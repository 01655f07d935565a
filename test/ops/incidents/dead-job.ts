import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'JobsDead' },
  async happens({ session }) {
    const made = await session.query(
      `select (graphile_worker.add_job('housekeeping/prune', '{}', run_at => now() + interval '1 hour')).id::text as id`,
    );
    const { id } = only(made as { id: string }[]);
    await session.query(`update queue_jobs set attempts = max_attempts, last_error = 'disk full' where id = $1`, [id]);
    return { id };
  },
  steps: [
    [
      'Console, Dead jobs: its error and what a re-run would do',
      async ({ read }, { id }) => {
        const dead = (await read('/v2/admin/jobs/dead')).find((job: { job_id: string }) => job.job_id === id);
        finds(dead?.last_error === 'disk full' && dead.rerun.is_safe, 'the error, and that a re-run is safe');
      },
    ],
    ['Correct the cause, then run it again', ({ post }, { id }) => post(`/v2/admin/jobs/${id}/rerun`)],
  ],
  isOver: async ({ session }, { id }) =>
    only(await session.query('select j.attempts = 0 as done from queue_jobs j where j.id = $1', [id])).done === true,
});
