import { expect } from 'chai';
import pg from 'pg';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';

const ENDPOINTS = 40; // twice the connections of a worker
const MOST = 16; // of its twenty, for one tenant

describe('a delivery while an operator holds all endpoints of another app, as in a transaction of psql', function () {
  this.timeout(60_000);
  let d: Deliveries;
  let receiver: Receiver;
  let operator: pg.Client;
  before(async () => {
    d = await openDeliveries();
    receiver = await startReceiver();
    operator = new pg.Client({ connectionString: d.settings.DATABASE_URL });
    await operator.connect();
  });
  after(async () => {
    await operator.end();
    await d.stop();
    await receiver.close();
  });

  it('is made: those that wait for the endpoints leave it a connection', async () => {
    const [held, other] = [await d.app(), await d.app()];
    for (let n = 0; n < ENDPOINTS; n += 1) await d.endpoint(held, `${receiver.url}/held/${n}`);
    await d.endpoint(other, `${receiver.url}/other`);
    await d.rows(
      `select graphile_worker.add_job('webhooks/dispatch', json_build_object('endpoint_id', e.id))::text
       from webhook_endpoints e where e.owner = $1`,
      [held],
    );
    await operator.query('begin');
    await operator.query('select from webhook_endpoints where owner = $1 for update', [held]);
    await d.startWorker();
    const waiting = `select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`;
    await until('dispatches wait', async () => (await d.rows(waiting)).length >= MOST);

    await d.emit(other, 'a');
    await until('it is made', () => receiver.ledger.some(({ path }) => path === '/other'), 3_500);
    const { length } = await d.rows(waiting);
    await operator.query('rollback');

    expect(length).to.be.within(1, MOST);
  });
});
