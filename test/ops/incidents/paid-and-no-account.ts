import { failedAccount } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'PaidAndNotServed' },
  happens: ({ session }) => failedAccount(session),
  lasts: 'until a worker has created it',
  steps: [
    [
      'Console, Unfulfilled payments: each row names its safe action',
      async ({ read }, { paymentId }) => {
        const rows = await read('/v2/admin/payments/unfulfilled');
        finds(
          rows.some((row: { payment_id: string }) => row.payment_id === paymentId),
          'the payment',
        );
      },
    ],
    [
      'select ops.provision_account(the account, name, reason)',
      async ({ psql }, { id }) =>
        finds(
          only(await psql(`select ops.provision_account($1, 'ada', 'try again') as verdict`, [id])).verdict === 'done',
          'that it is done',
        ),
    ],
  ],
  isOver: async ({ session }, { id }) =>
    only(await session.query('select status = $2 as done from prop_accounts where id = $1', [id, 'provisioning']))
      .done === true,
});
