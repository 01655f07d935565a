import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/processes.ts';
import { deliveriesSuite } from '../support/webhooks.ts';

describe('webhooks/deliver', () => {
  const { fixture, deliveries, attempts, endpointRow, tried } = deliveriesSuite();

  it('sends the same id and bytes on every attempt, each signed when it is sent', async () => {
    fixture.receiver.behave((_received, nth) => (nth < 3 ? { status: 500, text: `no ${nth}` } : 200));
    const { secret } = await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/hook?a=1`, ['payment.succeeded']);

    await fixture.d.emit(fixture.app, 'payment.succeeded', { payment_id: 'pay_1' });
    await tried(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await fixture.d.hurry();
    await tried(2);
    await fixture.d.hurry();
    await fixture.d.settled();

    const [delivery] = await deliveries();
    expect(delivery).to.include({ state: 'delivered', attempts: 3, retry_step: 3, response_status: 200, error: null });
    expect(fixture.receiver.ledger.map(({ path }) => path)).to.deep.equal(Array(3).fill('/hook?a=1'));
    expect(new Set(fixture.receiver.ledger.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(fixture.receiver.ledger.map(({ headers }) => headers['x-service-delivery']))).to.deep.equal(
      new Set([delivery?.id]),
    );
    const times = fixture.receiver.ledger.map(({ headers }) => Number(headers['x-service-timestamp']));
    expect(times[1]).to.be.greaterThan(Number(times[0]));
    for (const { body, headers, at } of fixture.receiver.ledger) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
      expect(event).to.deep.include({ type: 'payment.succeeded', data: { payment_id: 'pay_1' } });
      expect(event.id).to.match(/^evt_[0-9a-f]{32}$/);
      expect(event.timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect(Math.abs(at / 1000 - Number(headers['x-service-timestamp']))).to.be.below(1.5);
    }
    expect(
      (await attempts()).map(({ n, response_status, error, response }) => [n, response_status, error, response]),
    ).to.deep.equal([
      [1, 500, 'status', 'no 1'],
      [2, 500, 'status', 'no 2'],
      [3, 200, null, 'ok'],
    ]);
  });

  it('delivers to exact names and `*` only, and never to inactive endpoints', async () => {
    await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/exact`, ['kyc.updated']);
    await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/all`, ['*']);
    await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/other`, ['payout.failed', 'payout.completed']);
    const { id } = await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/inactive`, ['*']);
    await fixture.d.rows(`select deactivate_endpoint($1, 'asked')`, [id]);
    await fixture.d.endpoint(await fixture.d.app(), `${fixture.receiver.url}/foreign`, ['*']);

    const queued = [
      await fixture.d.emit(fixture.app, 'kyc.updated'),
      await fixture.d.emit(fixture.app, 'kyc'),
      await fixture.d.emit(fixture.app, 'kyc.updated.more'),
    ];
    await fixture.d.settled();

    expect(queued).to.deep.equal([2, 1, 1]);
    expect(fixture.receiver.ledger.map(({ path }) => path).sort()).to.deep.equal(['/all', '/all', '/all', '/exact']);
  });

  it('schedules the next attempt by the plan, and by Retry-After within its limits', async () => {
    fixture.receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '9' } }));
    await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.emit(fixture.app, 'a');
    await tried(1);

    const [first] = await deliveries();
    expect(first?.in_s).to.be.within(8, 9);

    fixture.receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '86400' } }));
    await fixture.d.hurry();
    await tried(2);

    const [second] = await deliveries();
    expect(second).to.include({ state: 'pending', attempts: 2, retry_step: 2, response_status: 503 });
    expect(second?.in_s).to.be.within(118, 120);
    const scheduled = await fixture.d.rows<{ in_s: number }>(
      `select extract(epoch from run_at - now())::float in_s from graphile_worker.jobs
       where task_identifier = 'webhooks/dispatch' and key in (select 'webhook:' || id || ':dispatch' from webhook_endpoints where owner = $1)`,
      [fixture.app],
    );
    expect(scheduled.map(({ in_s }) => Math.round(in_s / 10))).to.deep.equal([12]);
  });

  it('gives up after the tenth attempt', async () => {
    fixture.receiver.behave(() => 'drop');
    await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.emit(fixture.app, 'a');

    for (let times = 1; times <= 10; times += 1) {
      await tried(times);
      await fixture.d.hurry();
    }
    await fixture.d.settled();

    expect((await deliveries())[0]).to.include({
      state: 'failed',
      attempts: 10,
      error: 'reset',
      response_status: null,
    });
    expect(fixture.receiver.ledger).to.have.length(10);
  });

  for (const [what, step] of [
    ['the first', 0],
    ['the last', 9],
  ] as const)
    it(`begins the plan again after ${what} attempt, if the delivery is requested again meanwhile and that fails`, async () => {
      fixture.receiver.behave((_received, nth) => (nth === 1 ? { status: 500, delayMs: 600 } : 200));
      const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
      const [made] = await fixture.d.rows<{ id: string }>(
        `insert into webhook_deliveries (id, owner, endpoint_id, event_id, retry_step)
         values (sortable_id('whd'), $1, $2, (record_event($1, 'a', '{}')).id, $3) returning id`,
        [fixture.app, id, step],
      );
      await fixture.d.rows('select dispatch_due_deliveries($1)', [id]);
      await until('it is being sent', () => fixture.receiver.ledger.length === 1);

      const [asked] = await fixture.d.rows('select redeliver($1, $2) verdict', [fixture.app, made?.id]);
      await fixture.d.settled(4_000);

      expect(asked).to.deep.equal({ verdict: 'queued' });
      expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2, retry_step: 1 });
    });

  it('stops and deactivates at 410, cancels pending deliveries, and notifies the contact', async () => {
    fixture.receiver.behave(() => ({ status: 410, delayMs: 1_500 })); // after all twelve were emitted
    const { id } = await fixture.d.endpoint(fixture.app, `${fixture.receiver.url}/gone`);
    for (let n = 0; n < 12; n += 1) await fixture.d.emit(fixture.app, 'a');
    await fixture.d.settled();

    const states = (await deliveries()).map(({ state }) => state);
    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'gone' });
    expect(await fixture.d.emit(fixture.app, 'a')).to.equal(0);
    expect(states.filter((state) => state === 'cancelled').length).to.be.at.least(8);
    expect(new Set(states)).to.deep.equal(new Set(['failed', 'cancelled']));
    expect(fixture.receiver.ledger.length).to.be.at.most(4);
    const mails = await fixture.d.rows('select recipient, template, data from mails');
    expect(mails).to.have.length(1);
    expect(mails[0]).to.deep.include({ recipient: 'contact@app.invalid', template: 'webhook_deactivated' });
    expect(mails[0]?.data).to.include({ because: 'gone', url: `${fixture.receiver.url}/gone` });
    await fixture.d.rows('delete from mails');
  });

  it('deactivates after five days of failures only, and notifies the contact; a success restarts the count', async () => {
    fixture.receiver.behave((_received, nth) => (nth === 2 ? 200 : 500));
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    const sinceLong = () =>
      fixture.d.rows(
        `update webhook_endpoints set failing_since = now() - interval '5 days 1 minute' where id = $1 and failing_since is not null`,
        [id],
      );

    await fixture.d.emit(fixture.app, 'a');
    await tried(1);
    expect((await endpointRow(id))?.failing_since).not.to.equal(null);
    await sinceLong();
    await fixture.d.hurry();
    await fixture.d.settled();
    expect(await endpointRow(id)).to.include({ active: true, failing_since: null });

    await fixture.d.emit(fixture.app, 'b');
    await tried(3);
    expect(await endpointRow(id)).to.include({ active: true });
    await sinceLong();
    await fixture.d.hurry();
    await fixture.d.settled();

    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'failing' });
    expect((await fixture.d.rows('select data from mails'))[0]?.data).to.include({ because: 'failing' });
    await fixture.d.rows('delete from mails');
  });
});
