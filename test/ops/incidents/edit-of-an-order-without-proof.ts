import { intentAt } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

const LISTED = 'select * from ops.undecided_intents where intent_id = $1';

export default incident({
  starts: { alert: 'IntentsUndecided' },
  async happens({ session }) {
    const id = await intentAt(session, 'sent', { kind: 'network/edit', owner: 'app_1' });
    const problem = { code: 'V1_ORDER_IN_DOUBT', effect: 'unknown' };
    await session.query('select settle_intent($1, 1, $2, $3)', [id, 'failed', { problem }]);
    return { id };
  },
  steps: [
    [
      'select * from ops.undecided_intents: its safe action',
      async ({ psql }, { id }) => {
        const { owner, safe_action } = only(await psql(LISTED, [id]));
        finds(owner === 'app_1' && /tell its owner/.test(String(safe_action)), 'whom to tell');
      },
    ],
    ['Look at the upstream for its effect; tell its owner', async () => {}],
    [
      'select ops.dismiss(the intent, name, reason)',
      async ({ psql }, { id }) => {
        const dismiss = `select ops.dismiss($1, 'ada', 'told them what the network shows') as verdict`;
        finds(only(await psql(dismiss, [id])).verdict === 'done', 'that it is done');
        finds(only(await psql(dismiss, [id])).verdict === 'not_open', 'that it was done before');
      },
    ],
  ],
  isOver: async ({ session }, { id }) => (await session.query(LISTED, [id])).length === 0,
});
