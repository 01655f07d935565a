import { intentAt } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

const hasJob = `select exists (select from queue_jobs where payload ->> 'intent_id' = $1) as done`;

export default incident({
  starts: { alert: 'OrdersStuck' },
  async happens({ session }) {
    const id = await intentAt(session, 'queued', { owner: 'app_1' });
    await session.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [id]);
    return { id };
  },
  lasts: 'until a worker has it, within its deadline',
  steps: [
    [
      'select * from ops.stuck_intents',
      async ({ psql }, { id }) => {
        const stuck = (await psql('select * from ops.stuck_intents')).find(({ intent_id }) => intent_id === id);
        finds(stuck?.because === 'it has no job', 'why it is stuck');
      },
    ],
    [
      'select * from ops.safe_to_rerun(its id)',
      async ({ psql }, { id }) =>
        finds(only(await psql('select * from ops.safe_to_rerun($1)', [id])).is_safe, 'that it is safe'),
    ],
    [
      'select * from ops.rerun(its id, name, reason)',
      ({ psql }, { id }) => psql(`select * from ops.rerun($1, 'ada', 'no job')`, [id]),
    ],
  ],
  isOver: async ({ session }, { id }) => only(await session.query(hasJob, [id])).done === true,
});
