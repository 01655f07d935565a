import { Client } from 'pg';
import { finds, incident, only } from '../incident.ts';

const OPEN = `select pid from pg_stat_activity where application_name = 'a forgotten window' and xact_start is not null`;

export default incident({
  starts: { alert: 'TransactionOld' },
  async happens({ service }) {
    const forgotten = new Client({
      connectionString: String(service.settings.DATABASE_URL),
      application_name: 'a forgotten window',
    });
    forgotten.on('error', () => {}); // it is terminated
    await forgotten.connect();
    await forgotten.query('begin; select from intents');
    return { pid: 0 };
  },
  steps: [
    [
      'select * from ops.transactions: whose the oldest is',
      async ({ psql }, known) => {
        const rows = await psql(`select pid from ops.transactions where application = 'a forgotten window' limit 5`);
        known.pid = only(rows).pid as number; // as: a process id
        finds(known.pid, 'the session');
      },
    ],
    [
      'As the owner of the database: select pg_terminate_backend(pid)',
      ({ asOwner }, { pid }) => asOwner('select pg_terminate_backend($1, 5000)', [pid]),
    ],
  ],
  isOver: async ({ session }) => (await session.query(OPEN)).length === 0,
});
