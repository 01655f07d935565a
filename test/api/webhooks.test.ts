import { expect } from 'chai';
import { sql } from 'slonik';
import Stripe from 'stripe';
import { ENDPOINTS, endpointsSuite, expectProblem } from '../support/endpoints.ts';
import { until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';

describe('webhook endpoints', () => {
  const { fixture, create, created, notify, deliveriesOf, settled } = endpointsSuite();

  it('complete create, list, notify, deliver, verify, change and delete', async () => {
    const endpoint = await create({ events: ['payment.succeeded', 'payment.failed'], description: 'Ours' });
    const list = await fixture.app.ask('GET', ENDPOINTS);
    const { body: first } = await notify('payment.succeeded', { payment_id: 'pay_1' });
    await settled(endpoint.body.id);
    const changed = await fixture.app.ask('PATCH', `${ENDPOINTS}/${endpoint.body.id}`, {
      json: { events: ['kyc.updated'], description: null },
    });
    const { body: second } = await notify('payment.succeeded');
    const gone = await fixture.app.ask('DELETE', `${ENDPOINTS}/${endpoint.body.id}`);
    const again = await fixture.app.ask('DELETE', `${ENDPOINTS}/${endpoint.body.id}`);

    expect(endpoint.status).to.equal(200);
    expect(endpoint.body.id).to.match(/^whe_/);
    expect(endpoint.body.secret).to.match(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(endpoint.headers.get('cache-control')).to.equal('no-store');
    const { secret, ...shown } = endpoint.body;
    expect(shown).to.include({ url: fixture.receiver.url, active: true, description: 'Ours' });
    expect(list.body).to.deep.equal([shown]);
    expect(first).to.include({ email_sent: false, email_status: null, webhook_deliveries_queued: 1 });
    const [received] = fixture.receiver.ledger;
    const event = Stripe.webhooks.constructEvent(
      received?.body ?? '',
      String(received?.headers['x-service-signature']),
      secret,
    );
    expect(event).to.deep.include({ type: 'payment.succeeded', data: { payment_id: 'pay_1' } });
    expect(changed.body).to.deep.include({ events: ['kyc.updated'], description: null, url: fixture.receiver.url });
    expect(second.webhook_deliveries_queued).to.equal(0);
    expect([gone.body, again.body]).to.deep.equal([{ deactivated: true }, { deactivated: true }]);
    expect((await fixture.app.ask('GET', ENDPOINTS)).body[0]).to.include({
      active: false,
      deactivated_because: 'asked',
    });
  });

  it('respond with 422 V2_WEBHOOK_UNKNOWN_EVENT to a subscription without a matching event type', async () => {
    expectProblem(await create({ events: ['payment.succeeded', 'payment.suceeded'] }), 'V2_WEBHOOK_UNKNOWN_EVENT');
    const { id } = await created();
    expectProblem(
      await fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { events: ['nope'] } }),
      'V2_WEBHOOK_UNKNOWN_EVENT',
    );
  });

  it('require the scope webhooks, api or *', async () => {
    const others = await fixture.service.app(['reads', 'trading']);
    const replies = await Promise.all([
      others.ask('POST', ENDPOINTS, { json: { url: fixture.receiver.url, events: ['*'] } }),
      others.ask('GET', ENDPOINTS),
      others.ask('DELETE', `${ENDPOINTS}/whe_1`),
      others.ask('GET', '/v2/events'),
    ]);
    for (const reply of replies) expectProblem(reply, 'V2_SCOPE_MISSING');

    for (const scope of ['webhooks', 'api', '*']) {
      expect((await (await fixture.service.app([scope])).ask('GET', ENDPOINTS)).status, scope).to.equal(200);
    }
  });

  it('return 404 for endpoints and deliveries of another app', async () => {
    const { id } = await created();
    await notify('a');
    const [delivery] = await deliveriesOf(id);
    const outsider = await fixture.service.app();

    for (const [method, path, json] of [
      ['PATCH', `${ENDPOINTS}/${id}`, { description: 'x' }],
      ['DELETE', `${ENDPOINTS}/${id}`],
      ['POST', `${ENDPOINTS}/${id}/rotate-secret`],
      ['POST', `${ENDPOINTS}/${id}/test`],
      ['GET', `${ENDPOINTS}/${id}/deliveries`],
      ['POST', `${ENDPOINTS}/${id}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ] as const) {
      expectProblem(await outsider.ask(method, path, { json }), 'V2_WEBHOOK_ENDPOINT_UNKNOWN');
    }
    for (const [method, path] of [
      ['GET', `/v2/webhook-deliveries/${delivery?.id}`],
      ['POST', `/v2/webhook-deliveries/${delivery?.id}/redeliver`],
    ] as const) {
      expectProblem(await outsider.ask(method, path), 'V2_WEBHOOK_DELIVERY_UNKNOWN');
    }
    expect((await outsider.ask('GET', ENDPOINTS)).body).to.deep.equal([]);
  });

  it('rotate the secret with an overlap in which both sign', async () => {
    const { id, secret: old } = await created();
    const rotated = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/rotate-secret`, {
      json: { overlap_seconds: 600 },
    });
    await notify('a');
    await settled(id);
    const cut = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/rotate-secret`, { json: { overlap_seconds: 0 } });
    await notify('b');
    await settled(id);

    const [both, one] = fixture.receiver.ledger;
    const verify = (received: typeof both, secret: string) =>
      Stripe.webhooks.constructEvent(received?.body ?? '', String(received?.headers['x-service-signature']), secret);
    expect(new Date(rotated.body.previous_secret_expires_at).getTime() - Date.now()).to.be.within(590_000, 601_000);
    expect(verify(both, old)).to.include({ type: 'a' });
    expect(verify(both, rotated.body.secret)).to.include({ type: 'a' });
    expect(verify(one, cut.body.secret)).to.include({ type: 'b' });
    expect(() => verify(one, rotated.body.secret)).to.throw();
    expect(() => verify(one, old)).to.throw();
    expect(String(both?.headers['x-service-signature']).match(/v1=/g)).to.have.length(2);
    expect(String(one?.headers['x-service-signature']).match(/v1=/g)).to.have.length(1);
  });

  it('send a test event to this endpoint alone, whatever its subscriptions', async () => {
    const other = await startReceiver();
    await created({ url: other.url });
    const { id } = await created({ events: ['kyc.updated'] });

    const tested = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/test`);
    await settled(id);

    expect(tested.body).to.include({ endpoint_id: id, event_type: 'webhook.test', status: 'pending' });
    expect(fixture.receiver.ledger.map(({ headers }) => headers['x-service-event'])).to.deep.equal(['webhook.test']);
    expect(other.ledger).to.deep.equal([]);
    await fixture.app.ask('DELETE', `${ENDPOINTS}/${id}`);
    expectProblem(await fixture.app.ask('POST', `${ENDPOINTS}/${id}/test`), 'V2_WEBHOOK_INACTIVE');
    await other.close();
  });

  it('show every attempt, and deliver again under the same id', async () => {
    fixture.receiver.behave((_received, nth) => (nth === 1 ? { status: 500, text: 'not yet' } : 204));
    const { id } = await created();
    await notify('a', { n: 1 });
    await until('an attempt', async () => (await deliveriesOf(id))[0]?.response_status === 500);
    const [delivery] = await deliveriesOf(id);
    const path = `/v2/webhook-deliveries/${delivery?.id}`;

    const failed = await fixture.app.ask('GET', path);
    const failedMs = Date.now();
    const pulled = await fixture.app.ask('POST', `${path}/redeliver`);
    await settled(id);
    await fixture.app.ask('POST', `${path}/redeliver`);
    await until('a third', () => fixture.receiver.ledger.length === 3);
    await settled(id);
    const shown = await fixture.app.ask('GET', path);

    expect(failed.body).to.include({ status: 'pending', attempts: 1, response_status: 500, error: 'status' });
    expect(new Date(failed.body.next_attempt_at).getTime() - failedMs).to.be.within(2_000, 6_100);
    expect(pulled.body).to.include({ id: delivery?.id, status: 'pending' });
    expect(shown.body).to.include({
      status: 'delivered',
      attempts: 3,
      response_status: 204,
      error: null,
      next_attempt_at: null,
    });
    expect(
      shown.body.attempt_log.map(({ n, response_status, response }: Record<string, unknown>) => [
        n,
        response_status,
        response,
      ]),
    ).to.deep.equal([
      [1, 500, 'not yet'],
      [2, 204, ''],
      [3, 204, ''],
    ]);
    expect(new Set(fixture.receiver.ledger.map(({ headers }) => headers['x-service-delivery'])).size).to.equal(1);
    expect(new Set(fixture.receiver.ledger.map(({ body }) => body)).size).to.equal(1);
    await fixture.app.ask('DELETE', `${ENDPOINTS}/${id}`);
    expectProblem(await fixture.app.ask('POST', `${path}/redeliver`), 'V2_WEBHOOK_INACTIVE');
  });

  it('show no secret in any row, log line or later response', async () => {
    const { id, secret } = await created();
    await notify('a');
    await settled(id);

    const responses = await Promise.all([
      fixture.app.ask('GET', ENDPOINTS),
      fixture.app.ask('GET', `${ENDPOINTS}/${id}/deliveries`),
    ]);
    const locations = [
      JSON.stringify(responses.map(({ body }) => body)),
      JSON.stringify(fixture.service.log.lines),
      await stored(),
    ];
    for (const location of locations) expect(location.includes(secret.slice(6))).to.equal(false);
  });

  /** The tables of webhooks and the queue, as text. */
  async function stored(): Promise<string> {
    const tables = ['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts', 'events', 'mails'];
    const texts = await Promise.all(
      [...tables, 'queue_jobs'].map((table) =>
        fixture.service.db.any(sql.unsafe`select t::text as row from ${sql.identifier(table.split('.'))} t`),
      ),
    );
    return JSON.stringify(texts);
  }
});
