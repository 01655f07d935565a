import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { alert: 'EventsUnreadable' },
  async happens({ session }) {
    await session.query(`
      insert into processor_events (id, type, said_at, fact, object_id, source, outcome, acted_at)
      values ('evt_odd', 'payout.paid', now(), '{}', 'po_odd', 'notified', 'unreadable', now())`);
    return {};
  },
  steps: [
    [
      'select * from ops.unreadable_events',
      async ({ psql }) =>
        finds(only(await psql('select * from ops.unreadable_events')).object_id === 'po_odd', 'its object'),
    ],
    ['Read the object at the processor', async () => {}],
    [
      'select ops.dismiss_event(the event, name, reason)',
      async ({ psql }) =>
        finds(
          only(await psql(`select ops.dismiss_event('evt_odd', 'ada', 'paid, as the processor shows') as verdict`))
            .verdict === 'done',
          'that it is done',
        ),
    ],
  ],
  isOver: async ({ session }) =>
    only(await session.query('select not exists (select from ops.unreadable_events) as done')).done === true,
});
