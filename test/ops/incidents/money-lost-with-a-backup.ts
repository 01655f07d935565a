import { finds, incident, only } from '../incident.ts';

const keep = (status: string) => `
  select keep_lost_money('[{"id": "pi_Lost", "kind": "payment", "intentId": "00000000-0000-7000-8000-0000000000aa", "subjectId": "pay_lost",
    "cents": 19900, "currency": "usd", "status": "${status}", "madeAtMs": 0}]')`;
const LISTED = `select * from ops.lost_money where processor_id = 'pi_Lost'`;

export default incident({
  starts: { alert: 'LostMoney' },
  async happens({ session }) {
    await session.query(keep('requires_action'));
    return { paid: () => session.query(keep('succeeded')) };
  },
  steps: [
    [
      'select * from ops.lost_money: its safe action',
      async ({ psql }) => finds(/^cancel it/.test(String(only(await psql(LISTED)).safe_action)), 'that it is canceled'),
    ],
    [
      'Cancel it at the processor, then select ops.dismiss(its processor_id, name, reason)',
      async ({ psql }) =>
        finds(
          only(await psql(`select ops.dismiss('pi_Lost', 'ada', 'canceled') as v`)).v === 'done',
          'that it is done',
        ),
    ],
    [
      'It had been paid just before: the next recovery lists it again; refund it, and dismiss it',
      async ({ psql }, { paid }) => {
        finds((await psql(LISTED)).length === 0, 'that it is off the list');
        await paid();
        finds(/^refund it/.test(String(only(await psql(LISTED)).safe_action)), 'that it is refunded');
        await psql(`select ops.dismiss('pi_Lost', 'ada', 'refunded')`);
        await paid();
      },
    ],
  ],
  isOver: async ({ session }) => (await session.query(LISTED)).length === 0,
});
