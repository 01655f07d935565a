import { expect } from 'chai';
import { sql } from 'slonik';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { verifyWebhook } from '../../src/client/webhook.ts';
import { type Caller, caller } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';

const ENDPOINTS = '/v1/webhook-endpoints';

describe('webhooks of a partner', function () {
  this.timeout(30_000);
  let service: TestService;
  let receiver: Receiver;
  before(async () => {
    service = await startService();
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });
  beforeEach(() => receiver.ledger.splice(0));

  const create = async (partner: Caller, events = ['*']) =>
    (await partner.post(ENDPOINTS, { url: receiver.url, events })).body as { id: string; secret: string };
  const received = (type: string) =>
    eventually(async () => receiver.ledger.find(({ body }) => JSON.parse(body).type === type));

  it('carry the events of its log, signed as those of apps are', async () => {
    const trader = await service.trader();
    const { secret } = await create(trader, ['order.updated']);
    await trader.post('/v1/orders/netvenue', market());

    const { body, headers } = await received('order.updated');

    const { body: log } = await trader.get('/v1/events');
    expect(JSON.parse(body)).to.deep.equal(log.at(-1));
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).to.not.throw();
    expect(await verifyWebhook({ secret, body, headers: headers as Record<string, string> })).to.deep.include({
      type: 'order.updated',
    });
    expect(receiver.ledger).to.have.length(1);
  });

  it('are tested, read, sent again, rotated, recovered and ended as those of apps are', async () => {
    const partner = await service.partner();
    const { id, secret } = await create(partner);
    const tested = await partner.post(`${ENDPOINTS}/${id}/test`);
    const { headers } = await received('webhook.test');
    const delivery = `/v1/webhook-deliveries/${tested.body.id}`;
    await eventually(async () => (await partner.get(delivery)).body.status === 'delivered');

    const listed = await partner.get(`${ENDPOINTS}/${id}/deliveries?limit=1`);
    const rotated = await partner.post(`${ENDPOINTS}/${id}/rotate-secret`, { overlap_seconds: 0 });
    const again = await partner.post(`${delivery}/redeliver`);
    await eventually(async () => receiver.ledger.length === 2);
    const recovered = await partner.post(`${ENDPOINTS}/${id}/recover`, { since: '2026-01-01T00:00:00Z' });
    const tooSoon = await partner.post(`${ENDPOINTS}/${id}/recover`, { since: '2026-01-01T00:00:00Z' });
    const ended = await partner.delete(`${ENDPOINTS}/${id}`);

    expect(headers['x-service-delivery']).to.equal(tested.body.id);
    expect((await partner.get(ENDPOINTS)).body.map((endpoint: { id: string }) => endpoint.id)).to.deep.equal([id]);
    expect(listed.body[0]).to.include({ id: tested.body.id, status: 'delivered' });
    expect((await partner.get(delivery)).body.attempt_log).to.have.length(2);
    expect(rotated.body.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect(again.body).to.include({ id: tested.body.id });
    const { body: bytes, headers: signed } = receiver.ledger[1] as Receiver['ledger'][number];
    expect(() => new Webhook(rotated.body.secret).verify(bytes, signed as Record<string, string>)).to.not.throw();
    expect(() => new Webhook(secret).verify(bytes, signed as Record<string, string>)).to.throw();
    expect(recovered.body).to.include({ queued: 0 });
    expectProblem(tooSoon, 'V1_WEBHOOK_RECOVERY_PAUSED');
    expect(ended.body).to.deep.equal({ deactivated: true });
    expectProblem(await partner.post(`${ENDPOINTS}/${id}/test`), 'V1_WEBHOOK_INACTIVE');
    expectProblem(await partner.post(`${delivery}/redeliver`), 'V1_WEBHOOK_INACTIVE');
  });

  it('have the events of partners alone, public addresses, and pages under v1', async () => {
    const partner = await service.partner();
    await create(partner);
    await create(partner);

    for (const events of [['payment.succeeded'], ['order.updatet']])
      expectProblem(await partner.post(ENDPOINTS, { url: receiver.url, events }), 'V1_WEBHOOK_UNKNOWN_EVENT');
    const inside = { url: 'https://169.254.169.254/', events: ['*'] };
    expectProblem(await partner.post(ENDPOINTS, inside), 'V1_WEBHOOK_URL_FORBIDDEN');
    expectProblem(await partner.get('/v1/webhook-deliveries/whd_nobody'), 'V1_WEBHOOK_DELIVERY_UNKNOWN');
    expect((await partner.get(`${ENDPOINTS}?limit=1`)).headers.link).to.include(`<${ENDPOINTS}?`);
  });

  it('have a limit of active endpoints of their own', async () => {
    const partner = await service.partner();
    const { id } = await create(partner);
    await service.db.query(sql.unsafe`
      insert into webhook_endpoints (id, owner, url, events)
      select 'whe_many' || n, e.owner, e.url, e.events
      from webhook_endpoints e, generate_series(1, 49) n
      where e.id = ${id}`);

    expectProblem(await partner.post(ENDPOINTS, { url: receiver.url, events: ['*'] }), 'V1_WEBHOOK_TOO_MANY');
    expect((await create(await service.partner())).id).to.be.a('string');
  });

  it('never take an event to another partner, not even by a row that says so', async () => {
    const [trader, other] = [await service.trader(), await service.trader()];
    const [ofTrader, foreign] = [await create(trader), await create(other)];
    const { body: log } = await trader.get('/v1/events');
    await trader.post(`${ENDPOINTS}/${ofTrader.id}/test`);
    await received('webhook.test');
    const crossing = (owner: string) =>
      service.db
        .query(sql.unsafe`
          insert into webhook_deliveries (id, owner, endpoint_id, event_id)
          select 'whd_crossing', e.owner, ${foreign.id}, ${log[0].id}
          from webhook_endpoints e
          where e.id = ${owner}`)
        .then(
          () => 'written',
          (error) => error.constraint,
        );

    expect(await crossing(ofTrader.id)).to.equal('webhook_deliveries_of_endpoints_owner');
    expect(await crossing(foreign.id)).to.equal('webhook_deliveries_of_events_owner');
    expect((await other.get(`${ENDPOINTS}/${foreign.id}/deliveries`)).body).to.deep.equal([]);
    for (const [method, path, body] of [
      ['get', `${ENDPOINTS}/${ofTrader.id}/deliveries`],
      ['post', `${ENDPOINTS}/${ofTrader.id}/test`],
      ['post', `${ENDPOINTS}/${ofTrader.id}/rotate-secret`],
      ['post', `${ENDPOINTS}/${ofTrader.id}/recover`, { since: '2026-01-01T00:00:00Z' }],
      ['delete', `${ENDPOINTS}/${ofTrader.id}`],
    ] as const)
      expectProblem(
        method === 'post' ? await other.post(path, body) : await other[method](path),
        'V1_WEBHOOK_ENDPOINT_UNKNOWN',
      );
    expect(await caller(service.url, trader.key).get(ENDPOINTS)).to.have.nested.property('body[0].active', true);
  });

  it('mail the contact of the partner when an endpoint is given up', async () => {
    const partner = await service.partner();
    const { id } = await create(partner);
    await service.db.query(sql.unsafe`
      update partners p
      set contact_email = 'ops@partner.example'
      from webhook_endpoints e
      where e.id = ${id} and p.id = e.partner_id`);
    await service.db.query(sql.unsafe`select deactivate_endpoint(${id}, 'failing')`);

    const mails = await service.db.any(sql.type(z.object({ template: z.string() }))`
      select template
      from mails
      where recipient = 'ops@partner.example'`);

    expect(mails).to.deep.equal([{ template: 'webhook_deactivated' }]);
  });
});
