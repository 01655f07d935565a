import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'The network shows bitcoin at one dollar, stop everything!' },
  happens: async () => ({ wasHeld: false }),
  steps: [
    [
      'Console, Venues and upstreams: pause the network',
      ({ post }) => post('/v2/admin/pauses', { subject: 'netvenue' }),
    ],
    [
      'select * from ops.pauses: how many writes wait',
      async ({ psql }, known) => {
        known.wasHeld = only(await psql(`select * from ops.pauses where subject = 'netvenue'`)).holds_exits === false;
        finds(known.wasHeld, 'the pause');
      },
    ],
    ['When the prices are right again, end it', ({ post }) => post('/v2/admin/pauses/netvenue/end')],
  ],
  isOver: async ({ session }, { wasHeld }) =>
    wasHeld &&
    only(await session.query('select not exists (select from pauses where subject = $1) as done', ['netvenue']))
      .done === true,
});
