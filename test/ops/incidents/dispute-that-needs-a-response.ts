import { failedAccount, lose } from '../../support/operator.ts';
import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'DisputesWait' },
  async happens(desk) {
    const { paymentId } = await failedAccount(desk.session);
    await lose(desk.session, paymentId, { kind: 'dispute', id: 'du_night', cents: 19_900, status: 'needs_response' });
    return {
      paymentId,
      user: '',
      win: () => lose(desk.session, paymentId, { kind: 'dispute', id: 'du_night', cents: 19_900, status: 'won' }),
    };
  },
  steps: [
    [
      'Console, Disputes: those that need a response',
      async ({ read }, known) => {
        const [dispute] = await read('/v2/admin/disputes?open=true');
        finds(dispute.dispute_id === 'du_night' && dispute.payment_id === known.paymentId, 'the dispute');
        known.user = dispute.user_id;
      },
    ],
    [
      'Console, Find: the user, with the payments and the account',
      async ({ read }, { user }) =>
        finds((await read(`/v2/admin/search?q=${user}`)).records[0].relatives.payments, 'the payments'),
    ],
    ['Answer it at the processor; what it decides arrives', (_, { win }) => win()],
  ],
  isOver: async ({ session }) =>
    only(await session.query(`select count = 0 as done from ops.attention where what = 'disputes'`)).done === true,
});
