import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'PauseForgotten' },
  async happens({ session }) {
    await session.query(`select ops.pause('registrar', 'bob', 'its terms look odd')`);
    return {};
  },
  steps: [
    [
      'select * from ops.pauses: whose, since when, why',
      async ({ psql }) => {
        const pauses = await psql(`select * from ops.pauses where subject = 'registrar'`);
        finds(only(pauses).reason === 'its terms look odd', 'why');
      },
    ],
    [
      'Once its reason is gone: select ops.end_pause(the subject, name, reason)',
      ({ psql }) => psql(`select ops.end_pause('registrar', 'ada', 'they are as agreed')`),
    ],
  ],
  isOver: async ({ session }) =>
    only(await session.query('select not exists (select from pauses where subject = $1) as done', ['registrar']))
      .done === true,
});
