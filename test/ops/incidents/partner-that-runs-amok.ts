import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'This is Amok Trading, our bot for trader 4242 went mad, please hold everything of ours.' },
  async happens({ session }) {
    await session.query(`
      insert into partners (id, name) values ('ptn_amok', 'Amok Trading');
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('e_4242', 'e', 4242, 'ptn_amok', gen_random_uuid(), 'crypto', 1000, 'active')`);
    return {};
  },
  steps: [
    [
      'Console, Find: trader 4242; it belongs to the partner',
      async ({ read }) =>
        finds((await read('/v2/admin/search?q=trader%204242')).records[0].owner === 'ptn_amok', 'whose it is'),
    ],
    ['Console, Orders of a trader: what was sent', ({ read }) => read('/v2/admin/orders?trader=e_4242')],
    [
      'select ops.pause(the partner, name, reason)',
      async ({ psql }) =>
        finds(
          only(await psql(`select ops.pause('ptn_amok', 'ada', 'asked on the phone') as verdict`)).verdict === 'paused',
          'the pause',
        ),
    ],
  ],
  isOver: async ({ session }) =>
    only(await session.query(`select exists (select from pauses where subject = 'ptn_amok') as done`)).done === true,
});
