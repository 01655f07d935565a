import { intentAt, workerSeen } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'NoWorkers' },
  async happens({ session }) {
    for (let n = 0; n < 5; n++) await intentAt(session, 'in_doubt', { owner: 'ptn_away' });
    await session.query(
      `delete from queue_jobs where payload ->> 'intent_id' in (select id::text from intents where owner = 'ptn_away')`,
    );
    await session.query('delete from worker_processes');
    return { start: () => workerSeen(session, -86_400) };
  },
  steps: [
    ['select * from ops.workers: since when each is silent', ({ psql }) => psql('select * from ops.workers')],
    ['The platform: start workers', (_, { start }) => start()],
    [
      'Console, Troubled intents: what re-running the open ones would do',
      async ({ read }) => {
        const { assessments } = await read('/v2/admin/reruns?owner=ptn_away');
        finds(
          assessments[0].verdict === 'reconcile_again' && assessments[0].intents === 5,
          'that all are looked up again',
        );
      },
    ],
    ['Re-run those that are safe', ({ post }) => post('/v2/admin/reruns', { owner: 'ptn_away' })],
  ],
  isOver: async ({ session }) =>
    only(
      await session.query(
        `select count(*) = 5 as done from intents i join queue_jobs j on j.payload ->> 'intent_id' = i.id::text where i.owner = 'ptn_away' and j.run_at <= now()`,
      ),
    ).done === true,
});
