import { expect } from 'chai';
import pg from 'pg';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const EVENTS = 40; // twice the connections of a worker
const MOST = 16; // of its twenty, for one task

describe('an order while jobs of another task all wait for a lock, such as that of an operator in a transaction of psql', function () {
  this.timeout(60_000);
  let service: TestService;
  let operator: pg.Client;
  before(async () => {
    service = await startService();
    operator = new pg.Client({ connectionString: service.settings.DATABASE_URL });
    await operator.connect();
  });
  after(async () => {
    await operator.end();
    await service.stop();
  });

  it('finds a connection of its worker', async () => {
    const trader = await service.trader();
    await operator.query(`
      insert into processor_events (id, type, said_at, fact, source)
      select 'evt_' || n, 'payment_intent.succeeded', now(), '{}', 'notified' from generate_series(1, ${EVENTS}) n`);
    await operator.query('begin');
    await operator.query('select from processor_events for update');
    const jobs = new pg.Client({ connectionString: service.settings.DATABASE_URL });
    await jobs.connect();
    const count = async () => (await jobs.query(WAITING)).rowCount ?? 0;
    await jobs.query(`
      select graphile_worker.add_job('payments/notified', json_build_object('event_id', 'evt_' || n), max_attempts => 1)::text
      from generate_series(1, ${EVENTS}) n`);
    await until('they wait', async () => (await count()) >= MOST);

    const { status } = await trader.post('/v1/orders/netvenue', market({ leverage: 0.01 }), { prefer: 'wait=3' });
    const waiting = await count();
    await operator.query('rollback');
    await jobs.end();

    expect(status).to.equal(200);
    expect(waiting, 'they still wait').to.be.within(1, MOST);
  });
});

const WAITING = `select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`;
