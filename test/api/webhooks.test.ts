import { expect } from 'chai';
import { sql } from 'slonik';
import Stripe from 'stripe';
import { z } from 'zod';
import type { RefusalCode } from '../../src/kernel/refusals.ts';
import { insideForms } from '../support/forms.ts';
import { type Identity, type Said, startIdentity, type TestApp } from '../support/identity.ts';
import { expectProblem as expectProblemIn } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type Listeners, listenInside } from '../support/sockets.ts';

const ENDPOINTS = '/v2/webhook-endpoints';

const expectProblem = ({ headers, ...reply }: Said, code: RefusalCode, members?: object) =>
  expectProblemIn({ ...reply, headers: Object.fromEntries(headers) }, code, members);

describe('webhook endpoints', () => {
  let service: Identity;
  let app: TestApp;
  let receiver: Receiver;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());
  beforeEach(async () => {
    app = await service.app();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const create = (more: object = {}) =>
    app.ask('POST', ENDPOINTS, { json: { url: receiver.url, events: ['*'], ...more } });
  const created = async (more: object = {}) => (await create(more)).body as { id: string; secret: string };
  const notify = (fanout_event: string, payload: object = {}) =>
    app.ask('POST', '/v2/notifications/send', { json: { subject: 's', html: 'h', fanout_event, payload } });
  const deliveriesOf = async (id: string, query = '') =>
    (await app.ask('GET', `${ENDPOINTS}/${id}/deliveries${query}`)).body as Record<string, unknown>[];
  const settled = (id: string) =>
    until('every delivery ended', async () => (await deliveriesOf(id)).every(({ status }) => status !== 'pending'));

  it('walks create, list, notify, deliver, verify, change and delete', async () => {
    const endpoint = await create({ events: ['payment.succeeded', 'payment.failed'], description: 'Ours' });
    const list = await app.ask('GET', ENDPOINTS);
    const { body: first } = await notify('payment.succeeded', { payment_id: 'pay_1' });
    await settled(endpoint.body.id);
    const changed = await app.ask('PATCH', `${ENDPOINTS}/${endpoint.body.id}`, {
      json: { events: ['kyc.updated'], description: null },
    });
    const { body: second } = await notify('payment.succeeded');
    const gone = await app.ask('DELETE', `${ENDPOINTS}/${endpoint.body.id}`);
    const again = await app.ask('DELETE', `${ENDPOINTS}/${endpoint.body.id}`);

    expect(endpoint.status).to.equal(200);
    expect(endpoint.body.id).to.match(/^whe_/);
    expect(endpoint.body.secret).to.match(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(endpoint.headers.get('cache-control')).to.equal('no-store');
    const { secret, ...shown } = endpoint.body;
    expect(shown).to.include({ url: receiver.url, active: true, description: 'Ours' });
    expect(list.body).to.deep.equal([shown]);
    expect(first).to.deep.equal({ email_sent: false, webhook_deliveries_queued: 1 });
    const [received] = receiver.ledger;
    const event = Stripe.webhooks.constructEvent(
      received?.body ?? '',
      String(received?.headers['x-service-signature']),
      secret,
    );
    expect(event).to.deep.include({ type: 'payment.succeeded', data: { payment_id: 'pay_1' } });
    expect(changed.body).to.deep.include({ events: ['kyc.updated'], description: null, url: receiver.url });
    expect(second.webhook_deliveries_queued).to.equal(0);
    expect([gone.body, again.body]).to.deep.equal([{ deactivated: true }, { deactivated: true }]);
    expect((await app.ask('GET', ENDPOINTS)).body[0]).to.include({ active: false, deactivated_because: 'asked' });
  });

  it('answers 422 V2_WEBHOOK_UNKNOWN_EVENT to a subscription nothing will match', async () => {
    expectProblem(await create({ events: ['payment.succeeded', 'payment.suceeded'] }), 'V2_WEBHOOK_UNKNOWN_EVENT');
    const { id } = await created();
    expectProblem(
      await app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { events: ['nope'] } }),
      'V2_WEBHOOK_UNKNOWN_EVENT',
    );
  });

  it('wants the scope webhooks, api or *', async () => {
    const others = await service.app(['reads', 'trading']);
    const asked = await Promise.all([
      others.ask('POST', ENDPOINTS, { json: { url: receiver.url, events: ['*'] } }),
      others.ask('GET', ENDPOINTS),
      others.ask('DELETE', `${ENDPOINTS}/whe_1`),
      others.ask('GET', '/v2/events'),
    ]);
    for (const reply of asked) expectProblem(reply, 'V2_SCOPE_MISSING');

    for (const scope of ['webhooks', 'api', '*']) {
      expect((await (await service.app([scope])).ask('GET', ENDPOINTS)).status, scope).to.equal(200);
    }
  });

  it('knows nothing of the endpoints and deliveries of another app', async () => {
    const { id } = await created();
    await notify('a');
    const [delivery] = await deliveriesOf(id);
    const stranger = await service.app();

    for (const [method, path, json] of [
      ['PATCH', `${ENDPOINTS}/${id}`, { description: 'x' }],
      ['DELETE', `${ENDPOINTS}/${id}`],
      ['POST', `${ENDPOINTS}/${id}/rotate-secret`],
      ['POST', `${ENDPOINTS}/${id}/test`],
      ['GET', `${ENDPOINTS}/${id}/deliveries`],
      ['POST', `${ENDPOINTS}/${id}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ] as const) {
      expectProblem(await stranger.ask(method, path, { json }), 'V2_WEBHOOK_ENDPOINT_UNKNOWN');
    }
    for (const [method, path] of [
      ['GET', `/v2/webhook-deliveries/${delivery?.id}`],
      ['POST', `/v2/webhook-deliveries/${delivery?.id}/redeliver`],
    ] as const) {
      expectProblem(await stranger.ask(method, path), 'V2_WEBHOOK_DELIVERY_UNKNOWN');
    }
    expect((await stranger.ask('GET', ENDPOINTS)).body).to.deep.equal([]);
  });

  it('rotates the secret with an overlap in which both sign', async () => {
    const { id, secret: old } = await created();
    const rotated = await app.ask('POST', `${ENDPOINTS}/${id}/rotate-secret`, { json: { overlap_seconds: 600 } });
    await notify('a');
    await settled(id);
    const cut = await app.ask('POST', `${ENDPOINTS}/${id}/rotate-secret`, { json: { overlap_seconds: 0 } });
    await notify('b');
    await settled(id);

    const [both, one] = receiver.ledger;
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

  it('sends a test event to this endpoint alone, whatever it is subscribed to', async () => {
    const other = await startReceiver();
    await created({ url: other.url });
    const { id } = await created({ events: ['kyc.updated'] });

    const tested = await app.ask('POST', `${ENDPOINTS}/${id}/test`);
    await settled(id);

    expect(tested.body).to.include({ endpoint_id: id, event_type: 'webhook.test', status: 'pending' });
    expect(receiver.ledger.map(({ headers }) => headers['x-service-event'])).to.deep.equal(['webhook.test']);
    expect(other.ledger).to.deep.equal([]);
    await app.ask('DELETE', `${ENDPOINTS}/${id}`);
    expectProblem(await app.ask('POST', `${ENDPOINTS}/${id}/test`), 'V2_WEBHOOK_INACTIVE');
    await other.close();
  });

  it('shows every attempt, and delivers again under the same id', async () => {
    receiver.behave((_received, nth) => (nth === 1 ? { status: 500, text: 'not yet' } : 204));
    const { id } = await created();
    await notify('a', { n: 1 });
    await until('an attempt', async () => (await deliveriesOf(id))[0]?.response_status === 500);
    const [delivery] = await deliveriesOf(id);
    const path = `/v2/webhook-deliveries/${delivery?.id}`;

    const failed = await app.ask('GET', path);
    const failedMs = Date.now();
    const pulled = await app.ask('POST', `${path}/redeliver`);
    await settled(id);
    await app.ask('POST', `${path}/redeliver`);
    await until('a third', () => receiver.ledger.length === 3);
    await settled(id);
    const shown = await app.ask('GET', path);

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
      shown.body.attempt_log.map(({ n, response_status, answer }: Record<string, unknown>) => [
        n,
        response_status,
        answer,
      ]),
    ).to.deep.equal([
      [1, 500, 'not yet'],
      [2, 204, ''],
      [3, 204, ''],
    ]);
    expect(new Set(receiver.ledger.map(({ headers }) => headers['x-service-delivery'])).size).to.equal(1);
    expect(new Set(receiver.ledger.map(({ body }) => body)).size).to.equal(1);
    await app.ask('DELETE', `${ENDPOINTS}/${id}`);
    expectProblem(await app.ask('POST', `${path}/redeliver`), 'V2_WEBHOOK_INACTIVE');
  });

  it('recovers what an endpoint missed, spread out and once a minute', async () => {
    const since = new Date().toISOString();
    const { id } = await created({ events: ['kyc.updated'] });
    await notify('kyc.updated', { n: 0 });
    await settled(id);
    await app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    for (let n = 1; n <= 5; n += 1) await notify('kyc.updated', { n });
    await notify('payment.failed');
    expectProblem(await app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } }), 'V2_WEBHOOK_INACTIVE');

    const active = await app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });
    const recovered = await app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });
    await until('all six', () => receiver.ledger.length === 6);
    const tooSoon = await app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });

    expect(active.body).to.include({ active: true, deactivated_because: null });
    expect(recovered.body).to.deep.equal({ queued: 5, since });
    expect(receiver.ledger.map(({ body }) => JSON.parse(body).data.n).sort()).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expectProblem(tooSoon, 'V2_WEBHOOK_RECOVERY_PAUSED', { retryable: true });
    expect(tooSoon.headers.get('retry-after')).to.equal('60');
  });

  it('does not knock a receiver over that has just come back', async () => {
    const { id } = await created();
    await app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    await service.db.any(
      sql.type(z.object({}))`select emit_event(${app.appId}, 'a', '{}') from generate_series(1, 300)`,
    );
    await app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });

    const startedAt = Date.now();
    const recovered = await app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since: '2026-01-01T00:00:00Z' } });
    await until('all of them', () => receiver.ledger.length === 300, 15_000);
    const tookS = (Date.now() - startedAt) / 1000;

    expect(recovered.body.queued).to.equal(300);
    expect(tookS).to.be.within(4.5, 9);
    expect(receiver.inFlight.most).to.be.at.most(4);
    console.log(`    300 recovered in ${tookS.toFixed(1)} s, at most ${receiver.inFlight.most} at once`);
  });

  it('pages endpoints and deliveries', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await created()).id);
    const { id } = await created();
    for (let n = 0; n < 5; n += 1) await notify('a', { n });

    const endpoints = await walk(`${ENDPOINTS}?limit=2`);
    const deliveries = await walk(`${ENDPOINTS}/${id}/deliveries?limit=2`);

    expect(endpoints.map((row) => row.id)).to.deep.equal([id, ...ids]);
    expect(new Set(deliveries.map((row) => row.id)).size).to.equal(5);
    expect(deliveries.map((row) => row.created_at)).to.deep.equal(
      deliveries
        .map((row) => row.created_at)
        .sort()
        .reverse(),
    );
  });

  it('takes fifty active endpoints and no more', async () => {
    for (let n = 0; n < 50; n += 1) expect((await create()).status).to.equal(200);

    expectProblem(await create(), 'V2_WEBHOOK_TOO_MANY');
  });

  it('logs events in order, and pages them without a gap', async () => {
    for (let n = 0; n < 7; n += 1) await notify(`event.${n}`, { n });
    const events = await walk('/v2/events?limit=3');
    const rest = await app.ask('GET', `/v2/events?after=${events[4]?.id}`);

    expect(events.map(({ type }) => type)).to.deep.equal([0, 1, 2, 3, 4, 5, 6].map((n) => `event.${n}`));
    expect(events[0]).to.have.all.keys('id', 'type', 'data', 'timestamp');
    expect(rest.body.map(({ type }: { type: string }) => type)).to.deep.equal(['event.5', 'event.6']);
    const stranger = await service.app();
    expectProblem(await stranger.ask('GET', `/v2/events?after=${events[0]?.id}`), 'V2_EVENT_UNKNOWN');
    expect((await stranger.ask('GET', '/v2/events')).body).to.deep.equal([]);
  });

  it('shows no secret in any row, log line or later answer', async () => {
    const { id, secret } = await created();
    await notify('a');
    await settled(id);

    const answers = await Promise.all([app.ask('GET', ENDPOINTS), app.ask('GET', `${ENDPOINTS}/${id}/deliveries`)]);
    const places = [JSON.stringify(answers.map(({ body }) => body)), JSON.stringify(service.log.lines), await stored()];
    for (const place of places) expect(place.includes(secret.slice(6))).to.equal(false);
  });

  /** What the tables of webhooks and the queue hold, as text. */
  async function stored(): Promise<string> {
    const tables = ['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts', 'events', 'mails'];
    const texts = await Promise.all(
      [...tables, 'graphile_worker._private_jobs'].map((table) =>
        service.db.any(sql.unsafe`select t::text as row from ${sql.identifier(table.split('.'))} t`),
      ),
    );
    return JSON.stringify(texts);
  }

  /** Every row of a paged list, by its `Link`s. */
  async function walk(path: string): Promise<Record<string, unknown>[]> {
    const rows = [];
    for (let next: string | undefined = path; next; ) {
      const { body, headers } = await app.ask('GET', next);
      rows.push(...body);
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    return rows;
  }
});

describe('webhook endpoints where loopback is not allowed', () => {
  let service: Identity;
  let app: TestApp;
  let inside: Listeners;
  before(async () => {
    service = await startIdentity({ WEBHOOK_LOOPBACK: 'false' });
    app = await service.app();
    inside = await listenInside();
  });
  after(async () => {
    await inside.close();
    await service.stop();
  });

  it('refuse every form of an inside address, at create, update and test, without a connection', async () => {
    const forms = insideForms(inside.port).filter(({ url, answers }) => !answers && !url.includes('\t'));
    const { body: endpoint } = await app.ask('POST', ENDPOINTS, {
      json: { url: 'https://192.0.66.2/hook', events: ['*'] },
    });

    for (const { url } of forms) {
      expectProblem(await app.ask('POST', ENDPOINTS, { json: { url, events: ['*'] } }), 'V2_WEBHOOK_URL_FORBIDDEN');
      expectProblem(
        await app.ask('PATCH', `${ENDPOINTS}/${endpoint.id}`, { json: { url } }),
        'V2_WEBHOOK_URL_FORBIDDEN',
      );
      await service.db.query(
        sql.type(z.object({}))`update webhook_endpoints set url = ${url} where id = ${endpoint.id}`,
      );
      expectProblem(await app.ask('POST', `${ENDPOINTS}/${endpoint.id}/test`), 'V2_WEBHOOK_URL_FORBIDDEN');
    }

    console.log(`    ${forms.length} forms at create, update and test: ${inside.connections()} connections`);
    expect(forms.length).to.be.at.least(150);
    expect(inside.connections()).to.equal(0);
  });
});
