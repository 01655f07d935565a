import { failedAccount } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

const LISTED = 'select * from ops.failed_accounts where prop_account_id = $1';

export default incident({
  starts: { alert: 'AccountsFail' },
  happens: ({ session }) => failedAccount(session, { paid: false }),
  steps: [
    [
      'Console, Failed accounts: its reason and safe action',
      async ({ psql }, { id }) =>
        finds(/provision again/.test(String(only(await psql(LISTED, [id])).safe_action)), 'the safe action'),
    ],
    [
      'select ops.provision_account(the account, name, reason)',
      ({ psql }, { id }) => psql(`select ops.provision_account($1, 'ada', 'try again')`, [id]),
    ],
  ],
  isOver: async ({ session }, { id }) => (await session.query(LISTED, [id])).length === 0,
});
