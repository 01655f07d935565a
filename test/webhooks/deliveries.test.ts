import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { deliveriesSuite } from '../support/webhooks.ts';

describe('webhooks/deliver', () => {
  const { own, deliveries, attempts, endpointRow, tried } = deliveriesSuite();

  it('sends the same id and bytes on every attempt, each signed when it is sent', async () => {
    own.receiver.behave((_received, nth) => (nth < 3 ? { status: 500, text: `no ${nth}` } : 200));
    const { secret } = await own.d.endpoint(own.app, `${own.receiver.url}/hook?a=1`, ['payment.succeeded']);

    await own.d.emit(own.app, 'payment.succeeded', { payment_id: 'pay_1' });
    await tried(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await own.d.hurry();
    await tried(2);
    await own.d.hurry();
    await own.d.settled();

    const [delivery] = await deliveries();
    expect(delivery).to.include({ state: 'delivered', attempts: 3, tries: 3, response_status: 200, error: null });
    expect(own.receiver.ledger.map(({ path }) => path)).to.deep.equal(Array(3).fill('/hook?a=1'));
    expect(new Set(own.receiver.ledger.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(own.receiver.ledger.map(({ headers }) => headers['x-service-delivery']))).to.deep.equal(
      new Set([delivery?.id]),
    );
    const times = own.receiver.ledger.map(({ headers }) => Number(headers['x-service-timestamp']));
    expect(times[1]).to.be.greaterThan(Number(times[0]));
    for (const { body, headers, at } of own.receiver.ledger) {
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
    await own.d.endpoint(own.app, `${own.receiver.url}/exact`, ['kyc.updated']);
    await own.d.endpoint(own.app, `${own.receiver.url}/all`, ['*']);
    await own.d.endpoint(own.app, `${own.receiver.url}/other`, ['payout.failed', 'payout.completed']);
    const { id } = await own.d.endpoint(own.app, `${own.receiver.url}/inactive`, ['*']);
    await own.d.rows(`select deactivate_endpoint($1, 'asked')`, [id]);
    await own.d.endpoint(await own.d.app(), `${own.receiver.url}/stranger`, ['*']);

    const queued = [
      await own.d.emit(own.app, 'kyc.updated'),
      await own.d.emit(own.app, 'kyc'),
      await own.d.emit(own.app, 'kyc.updated.more'),
    ];
    await own.d.settled();

    expect(queued).to.deep.equal([2, 1, 1]);
    expect(own.receiver.ledger.map(({ path }) => path).sort()).to.deep.equal(['/all', '/all', '/all', '/exact']);
  });

  it('plans the next try as the plan says, and as Retry-After asks within bounds', async () => {
    own.receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '9' } }));
    await own.d.endpoint(own.app, own.receiver.url);
    await own.d.emit(own.app, 'a');
    await tried(1);

    const [first] = await deliveries();
    expect(first?.in_s).to.be.within(8, 9);

    own.receiver.behave(() => ({ status: 503, headers: { 'Retry-After': '86400' } }));
    await own.d.hurry();
    await tried(2);

    const [second] = await deliveries();
    expect(second).to.include({ state: 'pending', attempts: 2, tries: 2, response_status: 503 });
    expect(second?.in_s).to.be.within(118, 120);
    const wakes = await own.d.rows<{ in_s: number }>(
      `select extract(epoch from run_at - now())::float in_s from graphile_worker.jobs
       where task_identifier = 'webhooks/wake' and key in (select 'webhook:' || id || ':wake' from webhook_endpoints where app = $1)`,
      [own.app],
    );
    expect(wakes.map(({ in_s }) => Math.round(in_s / 10))).to.deep.equal([12]);
  });

  it('gives up after the tenth try', async () => {
    own.receiver.behave(() => 'drop');
    await own.d.endpoint(own.app, own.receiver.url);
    await own.d.emit(own.app, 'a');

    for (let times = 1; times <= 10; times += 1) {
      await tried(times);
      await own.d.hurry();
    }
    await own.d.settled();

    expect((await deliveries())[0]).to.include({
      state: 'failed',
      attempts: 10,
      error: 'reset',
      response_status: null,
    });
    expect(own.receiver.ledger).to.have.length(10);
  });

  it('stops and deactivates at 410, cancels what waits, and tells the contact', async () => {
    own.receiver.behave(() => ({ status: 410, delayMs: 100 }));
    const { id } = await own.d.endpoint(own.app, `${own.receiver.url}/gone`);
    for (let n = 0; n < 12; n += 1) await own.d.emit(own.app, 'a');
    await own.d.settled();

    const states = (await deliveries()).map(({ state }) => state);
    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'gone' });
    expect(await own.d.emit(own.app, 'a')).to.equal(0);
    expect(states.filter((state) => state === 'cancelled').length).to.be.at.least(8);
    expect(new Set(states)).to.deep.equal(new Set(['failed', 'cancelled']));
    expect(own.receiver.ledger.length).to.be.at.most(4);
    const mails = await own.d.rows('select recipient, template, data from mails');
    expect(mails).to.have.length(1);
    expect(mails[0]).to.deep.include({ recipient: 'contact@app.invalid', template: 'webhook_deactivated' });
    expect(mails[0]?.data).to.include({ because: 'gone', url: `${own.receiver.url}/gone` });
    await own.d.rows('delete from mails');
  });

  it('deactivates after five days of nothing but failure, and tells the contact; a success starts the count anew', async () => {
    own.receiver.behave((_received, nth) => (nth === 2 ? 200 : 500));
    const { id } = await own.d.endpoint(own.app, own.receiver.url);
    const sinceLong = () =>
      own.d.rows(
        `update webhook_endpoints set failing_since = now() - interval '5 days 1 minute' where id = $1 and failing_since is not null`,
        [id],
      );

    await own.d.emit(own.app, 'a');
    await tried(1);
    expect((await endpointRow(id))?.failing_since).not.to.equal(null);
    await sinceLong();
    await own.d.hurry();
    await own.d.settled();
    expect(await endpointRow(id)).to.include({ active: true, failing_since: null });

    await own.d.emit(own.app, 'b');
    await tried(3);
    expect(await endpointRow(id)).to.include({ active: true });
    await sinceLong();
    await own.d.hurry();
    await own.d.settled();

    expect(await endpointRow(id)).to.include({ active: false, deactivated_because: 'failing' });
    expect((await own.d.rows('select data from mails'))[0]?.data).to.include({ because: 'failing' });
    await own.d.rows('delete from mails');
  });
});
