import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { deliveriesSuite } from '../support/webhooks.ts';

describe('the lanes of an endpoint', () => {
  const { own, deliveries, attempts, endpointRow, tried } = deliveriesSuite();

  it('never has more than four in flight at an endpoint, and one while it fails', async () => {
    own.receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await own.d.endpoint(own.app, own.receiver.url);
    await own.d.rows(`select count(emit_event($1, 'a', '{}')) from generate_series(1, 60)`, [own.app]);
    await own.d.settled();
    expect(own.receiver.inFlight.most).to.equal(4);

    own.receiver.behave(() => ({ status: 500, delayMs: 40 }));
    await own.d.emit(own.app, 'b');
    await tried(61);
    own.receiver.inFlight.most = 0;
    await own.d.rows(`select count(emit_event($1, 'c', '{}')) from generate_series(1, 10)`, [own.app]);
    await tried(71);
    expect(own.receiver.inFlight.most).to.equal(1);

    own.receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await own.d.hurry();
    await own.d.settled();
    expect(own.receiver.ledger).to.have.length(60 + 11 + 11);
  });

  it('leaves no lane taken and no job behind once everything has been delivered', async () => {
    const { id } = await own.d.endpoint(own.app, own.receiver.url);
    await Promise.all(Array.from({ length: 50 }, () => own.d.emit(own.app, 'a')));
    await own.d.settled();

    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
    const left = await own.d.rows(`select from graphile_worker._private_jobs where payload ->> 'endpoint_id' = $1`, [
      id,
    ]);
    expect(left.length).to.be.at.most(4);
    expect(own.receiver.ledger).to.have.length(50);
    const [swept] = await own.d.rows('select requeue_stranded_lanes() found');
    expect(swept).to.deep.equal({ found: 0 });
  });

  it('takes up again what a dead worker held, and refuses the outcome of one that only slept', async () => {
    await own.d.endpoint(own.app, own.receiver.url);
    const { id: endpoint } = await own.d.endpoint(own.app, 'http://127.0.0.1:9/unused', ['kyc.updated']);
    await own.d.rows('update webhook_endpoints set lanes = 1 where id = $1', [endpoint]);
    await own.d.rows(`update webhook_endpoints set url = $2 where id = $1`, [endpoint, `${own.receiver.url}/kept`]);
    await own.d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id) select 'whd_slept', $1, $2, (record_event($1, 'x', '{}')).id`,
      [own.app, endpoint],
    );
    const step = async (said?: object) => {
      const batch = JSON.stringify([{ n: 0, endpoint_id: endpoint, lane: 0, said }]);
      return (
        await own.d.rows<{ verdict: string; held: { fence: number; delivery_id: string } }>(
          'select verdict, held from step_lanes($1)',
          [batch],
        )
      )[0];
    };
    const asleep = await step();

    await own.d.rows('select watch_lane($1, 0, 0)', [endpoint]);
    await own.d.settled();
    const late = await step({
      ...asleep?.held,
      ending: 'retry',
      retry_in_s: 1,
      duration_ms: 1,
      status: 500,
      error: 'status',
    });

    expect(asleep).to.include({ verdict: 'send' });
    expect(late).to.include({ verdict: 'lost' });
    expect(own.receiver.ledger.map(({ headers }) => headers['x-service-delivery'])).to.deep.equal(['whd_slept']);
    expect((await attempts()).map(({ error }) => error)).to.deep.equal(['lost', null]);
    expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2 });
  });

  it('restarts lanes and endpoints that lost their jobs', async () => {
    const { id } = await own.d.endpoint(own.app, own.receiver.url);
    await own.d.rows(`update webhook_endpoints set lanes = 5 where id = $1`, [id]);
    await own.d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id) select 'whd_lane', $1, $2, (record_event($1, 'x', '{}')).id`,
      [own.app, id],
    );
    const other = await own.d.endpoint(own.app, own.receiver.url, ['kyc.updated']);
    await own.d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id, due_at)
       select 'whd_due', $1, $2, (record_event($1, 'x', '{}')).id, now() - interval '2 minutes'`,
      [own.app, other.id],
    );

    const [swept] = await own.d.rows('select requeue_stranded_lanes() found');
    await own.d.settled();

    expect(swept).to.deep.equal({ found: 2 });
    expect(own.receiver.ledger.map(({ headers }) => headers['x-service-delivery']).sort()).to.deep.equal([
      'whd_due',
      'whd_lane',
    ]);
    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
  });
});
