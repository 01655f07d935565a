import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { insideForms } from '../support/forms.ts';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { listenInside } from '../support/sockets.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';

type Delivery = {
  id: string;
  state: string;
  attempts: number;
  tries: number;
  response_status: number | null;
  error: string | null;
  in_s: number;
};
type Attempt = {
  n: number;
  duration_ms: number;
  response_status: number | null;
  error: string | null;
  answer: string | null;
};

describe('webhooks/deliver', () => {
  let d: Deliveries;
  let receiver: Receiver;
  let app: string;
  before(async () => {
    d = await openDeliveries();
    await d.startWorker();
  });
  after(() => d.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
    app = await d.app();
  });
  afterEach(() => receiver.close());

  const deliveries = () =>
    d.rows<Delivery>(
      `select id, state, attempts, tries, response_status, error, extract(epoch from due_at - now())::float in_s
       from webhook_deliveries where app = $1 order by id`,
      [app],
    );
  const attempts = () =>
    d.rows<Attempt>(
      `select a.n, a.duration_ms, a.response_status, a.error, a.answer
       from webhook_attempts a join webhook_deliveries w on w.id = a.delivery_id where w.app = $1 order by w.id, a.n`,
      [app],
    );
  const endpointRow = async (id: string) =>
    (
      await d.rows('select active, deactivated_because, failing_since, lanes from webhook_endpoints where id = $1', [
        id,
      ])
    )[0];
  const tried = (times: number) => until(`${times} attempts`, async () => (await attempts()).length >= times);

  it('sends the same id and bytes on every attempt, each signed when it is sent', async () => {
    receiver.behave((_received, nth) => (nth < 3 ? { status: 500, text: `no ${nth}` } : 200));
    const { secret } = await d.endpoint(app, `${receiver.url}/hook?a=1`, ['payment.succeeded']);

    await d.emit(app, 'payment.succeeded', { payment_id: 'pay_1' });
    await tried(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await d.hurry();
    await tried(2);
    await d.hurry();
    await d.settled();

    const [delivery] = await deliveries();
    expect(delivery).to.include({ state: 'delivered', attempts: 3, tries: 3, response_status: 200, error: null });
    expect(receiver.ledger.map(({ path }) => path)).to.deep.equal(Array(3).fill('/hook?a=1'));
    expect(new Set(receiver.ledger.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(receiver.ledger.map(({ headers }) => headers['x-service-delivery']))).to.deep.equal(
      new Set([delivery?.id]),
    );
    const times = receiver.ledger.map(({ headers }) => Number(headers['x-service-timestamp']));
    expect(times[1]).to.be.greaterThan(Number(times[0]));
    for (const { body, headers, at } of receiver.ledger) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
      expect(event).to.deep.include({ type: 'payment.succeeded', data: { payment_id: 'pay_1' } });
      expect(event.id).to.match(/^evt_[0-9a-f]{32}$/);
      expect(event.timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect(Math.abs(at / 1000 - Number(headers['x-service-timestamp']))).to.be.below(1.5);
    }
    expect(
      (await attempts()).map(({ n, response_status, error, answer }) => [n, response_status, error, answer]),
    ).to.deep.equal([
      [1, 500, 'status', 'no 1'],
      [2, 500, 'status', 'no 2'],
      [3, 200, null, 'ok'],
    ]);
  });

  it('reaches exact names and `*` only, and inactive endpoints never', async () => {
    await d.endpoint(app, `${receiver.url}/exact`, ['kyc.updated']);
    await d.endpoint(app, `${receiver.url}/all`, ['*']);
    await d.endpoint(app, `${receiver.url}/other`, ['payout.failed', 'payout.completed']);
    const { id } = await d.endpoint(app, `${receiver.url}/inactive`, ['*']);
    await d.rows(`select deactivate_endpoint($1, 'asked')`, [id]);
    await d.endpoint(await d.app(), `${receiver.url}/stranger`, ['*']);

    const queued = [await d.emit(app, 'kyc.updated'), await d.emit(app, 'kyc'), await d.emit(app, 'kyc.updated.more')];
    await d.settled();

    expect(queued).to.deep.equal([2, 1, 1]);
    expect(receiver.ledger.map(({ path }) => path).sort()).to.deep.equal(['/all', '/all', '/all', '/exact']);
  });

  it('plans the next try as the plan says, and as Retry-After asks within bounds', async () => {
    receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '9' } }));
    await d.endpoint(app, receiver.url);
    await d.emit(app, 'a');
    await tried(1);

    const [first] = await deliveries();
    expect(first?.in_s).to.be.within(8, 9);

    receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '86400' } }));
    await d.hurry();
    await tried(2);

    const [second] = await deliveries();
    expect(second).to.include({ state: 'pending', attempts: 2, tries: 2, response_status: 503 });
    expect(second?.in_s).to.be.within(118, 120);
    const wakes = await d.rows<{ in_s: number }>(
      `select extract(epoch from run_at - now())::float in_s from graphile_worker.jobs
       where task_identifier = 'webhooks/wake' and key in (select 'webhook:' || id || ':wake' from webhook_endpoints where app = $1)`,
      [app],
    );
    expect(wakes.map(({ in_s }) => Math.round(in_s / 10))).to.deep.equal([12]);
  });

  it('gives up after the tenth try', async () => {
    receiver.behave(() => 'drop');
    await d.endpoint(app, receiver.url);
    await d.emit(app, 'a');

    for (let times = 1; times <= 10; times += 1) {
      await tried(times);
      await d.hurry();
    }
    await d.settled();

    expect((await deliveries())[0]).to.include({
      state: 'failed',
      attempts: 10,
      error: 'reset',
      response_status: null,
    });
    expect(receiver.ledger).to.have.length(10);
  });

  it('stops and deactivates at 410, cancels what waits, and tells the contact', async () => {
    receiver.behave(() => ({ status: 410, delayMs: 100 }));
    const { id } = await d.endpoint(app, `${receiver.url}/gone`);
    for (let n = 0; n < 12; n += 1) await d.emit(app, 'a');
    await d.settled();

    const states = (await deliveries()).map(({ state }) => state);
    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'gone' });
    expect(await d.emit(app, 'a')).to.equal(0);
    expect(states.filter((state) => state === 'cancelled').length).to.be.at.least(8);
    expect(new Set(states)).to.deep.equal(new Set(['failed', 'cancelled']));
    expect(receiver.ledger.length).to.be.at.most(4);
    const mails = await d.rows('select recipient, template, data from mails');
    expect(mails).to.have.length(1);
    expect(mails[0]).to.deep.include({ recipient: 'contact@app.invalid', template: 'webhook_deactivated' });
    expect(mails[0]?.data).to.include({ because: 'gone', url: `${receiver.url}/gone` });
    await d.rows('delete from mails');
  });

  it('deactivates after five days of nothing but failure, and tells the contact; a success starts the count anew', async () => {
    receiver.behave((_received, nth) => (nth === 2 ? 200 : 500));
    const { id } = await d.endpoint(app, receiver.url);
    const sinceLong = () =>
      d.rows(
        `update webhook_endpoints set failing_since = now() - interval '5 days 1 minute' where id = $1 and failing_since is not null`,
        [id],
      );

    await d.emit(app, 'a');
    await tried(1);
    expect((await endpointRow(id))?.failing_since).not.to.equal(null);
    await sinceLong();
    await d.hurry();
    await d.settled();
    expect(await endpointRow(id)).to.include({ active: true, failing_since: null });

    await d.emit(app, 'b');
    await tried(3);
    expect(await endpointRow(id)).to.include({ active: true });
    await sinceLong();
    await d.hurry();
    await d.settled();

    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'failing' });
    expect((await d.rows('select data from mails'))[0]?.data).to.include({ because: 'failing' });
    await d.rows('delete from mails');
  });

  it('never has more than four in flight at an endpoint, and one while it fails', async () => {
    receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await d.endpoint(app, receiver.url);
    await d.rows(`select count(emit_event($1, 'a', '{}')) from generate_series(1, 60)`, [app]);
    await d.settled();
    expect(receiver.inFlight.most).to.equal(4);

    receiver.behave(() => ({ status: 500, delayMs: 40 }));
    await d.emit(app, 'b');
    await tried(61);
    receiver.inFlight.most = 0;
    await d.rows(`select count(emit_event($1, 'c', '{}')) from generate_series(1, 10)`, [app]);
    await tried(71);
    expect(receiver.inFlight.most).to.equal(1);

    receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await d.hurry();
    await d.settled();
    expect(receiver.ledger).to.have.length(60 + 11 + 11);
  });

  it('leaves no lane taken and no job behind once everything has been delivered', async () => {
    const { id } = await d.endpoint(app, receiver.url);
    await Promise.all(Array.from({ length: 50 }, () => d.emit(app, 'a')));
    await d.settled();

    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
    const left = await d.rows(`select from graphile_worker._private_jobs where payload ->> 'endpoint_id' = $1`, [id]);
    expect(left.length).to.be.at.most(4);
    expect(receiver.ledger).to.have.length(50);
    const [swept] = await d.rows('select requeue_stranded_lanes() found');
    expect(swept).to.deep.equal({ found: 0 });
  });

  it('takes up again what a dead worker held, and refuses the outcome of one that only slept', async () => {
    await d.endpoint(app, receiver.url);
    const { id: endpoint } = await d.endpoint(app, 'http://127.0.0.1:9/unused', ['kyc.updated']);
    await d.rows('update webhook_endpoints set lanes = 1 where id = $1', [endpoint]);
    await d.rows(`update webhook_endpoints set url = $2 where id = $1`, [endpoint, `${receiver.url}/kept`]);
    await d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id) select 'whd_slept', $1, $2, (record_event($1, 'x', '{}')).id`,
      [app, endpoint],
    );
    const step = async (said?: object) => {
      const batch = JSON.stringify([{ n: 0, endpoint_id: endpoint, lane: 0, said }]);
      return (
        await d.rows<{ verdict: string; held: { fence: number; delivery_id: string } }>(
          'select verdict, held from step_lanes($1)',
          [batch],
        )
      )[0];
    };
    const asleep = await step();

    await d.rows('select watch_lane($1, 0, 0)', [endpoint]);
    await d.settled();
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
    expect(receiver.ledger.map(({ headers }) => headers['x-service-delivery'])).to.deep.equal(['whd_slept']);
    expect((await attempts()).map(({ error }) => error)).to.deep.equal(['lost', null]);
    expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2 });
  });

  it('restarts lanes and endpoints that lost their jobs', async () => {
    const { id } = await d.endpoint(app, receiver.url);
    await d.rows(`update webhook_endpoints set lanes = 5 where id = $1`, [id]);
    await d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id) select 'whd_lane', $1, $2, (record_event($1, 'x', '{}')).id`,
      [app, id],
    );
    const other = await d.endpoint(app, receiver.url, ['kyc.updated']);
    await d.rows(
      `insert into webhook_deliveries (id, app, endpoint_id, event_id, due_at)
       select 'whd_due', $1, $2, (record_event($1, 'x', '{}')).id, now() - interval '2 minutes'`,
      [app, other.id],
    );

    const [swept] = await d.rows('select requeue_stranded_lanes() found');
    await d.settled();

    expect(swept).to.deep.equal({ found: 2 });
    expect(receiver.ledger.map(({ headers }) => headers['x-service-delivery']).sort()).to.deep.equal([
      'whd_due',
      'whd_lane',
    ]);
    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
  });
});

describe('webhooks/deliver where loopback is not allowed', () => {
  it('opens no connection to an inside address, at the first try, at a retry and at a redelivery', async () => {
    const d = await openDeliveries({ WEBHOOK_LOOPBACK: 'false' });
    const inside = await listenInside();
    const literals = insideForms(inside.port).filter(({ answers }) => !answers);
    const app = await d.app();
    for (const { url } of literals) await d.endpoint(app, url);
    await d.startWorker();
    const attempted = () =>
      d.rows<{ error: string; count: string }>(
        'select error, count(*) from webhook_attempts group by error order by error',
      );
    const tried = (times: number) =>
      until(`${times} attempts`, async () => Number((await attempted())[0]?.count ?? 0) >= times);

    await d.emit(app, 'payment.succeeded');
    await tried(literals.length);
    await d.hurry();
    await tried(2 * literals.length);
    await d.rows(`select redeliver(app, id) from webhook_deliveries order by endpoint_id`);
    await tried(3 * literals.length);

    expect(await attempted()).to.deep.equal([{ error: 'address_forbidden', count: String(3 * literals.length) }]);
    expect(inside.connections()).to.equal(0);
    console.log(`    ${literals.length} forms, 3 attempts each, ${inside.connections()} connections`);
    await inside.close();
    await d.stop();
  });
});
