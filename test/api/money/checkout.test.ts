import { expect } from 'chai';
import { atOnce, type Identity, startIdentity } from '../../support/identity.ts';
import { checkOut, eventually, type Money, raw, startMoney, tier25k, WEBHOOK } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const CHECKOUT = '/v2/payments/checkout';
const CREATE = '/v1/payment_intents';
const noWait = { Prefer: 'wait=0' };

describe('checkOut', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '1500' } });
  });
  after(() => service.stop());
  afterEach(() => service.processor.faults.clear());

  const made = () => service.processor.ledger.entries().filter(({ kind }) => kind === 'payment_intent');
  const ask = (json: object, headers = {}) => service.buyer.ask('POST', CHECKOUT, { json, headers });

  for (const [what, body, code] of [
    ['another price', { ...tier25k, amount_cents: 19_901 }, 'V2_AMOUNT_MISMATCH'],
    ['a fraction of a cent', { ...tier25k, amount_cents: 19_900.5 }, 'V2_AMOUNT_MISMATCH'],
    ['another currency', { ...tier25k, currency: 'eur' }, 'V2_AMOUNT_MISMATCH'],
    ['another size', { ...tier25k, account_size: 50_000 }, 'V2_TIER_MISMATCH'],
    ['another market', { ...tier25k, market: 'forex' }, 'V2_TIER_MISMATCH'],
    ['an unknown tier', { ...tier25k, tier_id: 'tier_unheard_of' }, 'V2_TIER_UNKNOWN'],
    ['a free tier', { ...tier25k, tier_id: 'tier_demo', account_size: 10_000, amount_cents: 0 }, 'V2_TIER_FREE'],
  ] as const) {
    it(`rejects ${what} and leaves nothing behind`, async () => {
      const before = made().length;

      expectRejected(await ask(body), code, { effect: 'none' });
      expect(made()).to.have.length(before);
    });
  }

  it('creates one payment intent under the intent id, with our metadata', async () => {
    const reply = await ask(tier25k);

    const [entry] = made().filter(({ key }) => key === reply.headers.get('intent-id'));
    const event = service.processor.events.find(
      ({ data }) => 'id' in data.object && data.object.id === entry?.detail.id,
    );
    expect(event?.data.object).to.have.deep.property('metadata', {
      payment_id: reply.body.payment_id,
      user_id: service.buyer.userId,
      app_id: service.tenant.appId,
      intent_id: reply.headers.get('intent-id'),
    });
  });

  it('returns the first response again under the same key, also to 20 concurrent requests, and to no other user', async () => {
    const before = made().length;
    const headers = { 'Idempotency-Key': 'one-checkout' };

    const replies = await atOnce(20, () => ask(tier25k, headers));
    const again = await ask({ ...tier25k, tier_id: 'tier_5k', account_size: 5_000, amount_cents: 7_400 }, headers);
    const other = await service.user(service.tenant);
    const others = await other.ask('POST', CHECKOUT, { json: tier25k, headers });

    expect(new Set(replies.map(({ body }) => body.payment_id)).size).to.equal(1);
    expectRejected(again, 'IDEMPOTENCY_KEY_REUSED');
    expect(others.body.payment_id).not.to.equal(replies[0]?.body.payment_id);
    expect(made()).to.have.length(before + 2);
  });

  it('shows a payment to its user only', async () => {
    const { payment_id } = await checkOut(service.buyer.ask);
    const sibling = await service.user(service.tenant);
    const outsider = await service.user(await service.app(['api']));

    for (const { ask } of [sibling, outsider])
      expectRejected(await ask('GET', `/v2/payments/${payment_id}`), 'V2_PAYMENT_UNKNOWN');
  });

  it('finds the payment intent whose response was lost, and creates no second one', async () => {
    const before = made().length;
    service.processor.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 2 });

    const { status, body } = await ask(tier25k);

    expect(status).to.equal(200);
    expect(body.client_secret).to.match(/^pi_\w+_secret_/);
    expect(made()).to.have.length(before + 1);
  });

  for (const kind of ['status_500', 'reset', 'cut_json', 'html_200'] as const) {
    it(`succeeds with a processor that shows ${kind}`, async () => {
      const before = made().length;
      service.processor.faults.add({ kind, route: CREATE, times: 1 });

      expect((await ask(tier25k)).status).to.equal(200);
      expect(made()).to.have.length(before + 1);
    });
  }

  it('responds with 202 while the processor does not respond, and shows the client secret under the poll address', async () => {
    service.processor.faults.add({ kind: 'late', route: CREATE, times: 1, delayMs: 400 });

    const reply = await service.buyer.ask('POST', CHECKOUT, { json: tier25k, headers: noWait });

    expect(reply.status).to.equal(202);
    expect(reply.body).to.include({ status: 'pending', client_secret: null });
    const poll = reply.headers.get('location') ?? '';
    const shown = await eventually(async () => {
      const { body } = await service.buyer.ask('GET', poll);
      return body.client_secret && body;
    });
    expect(shown).to.include({ status: 'requires_payment_method', id: reply.body.payment_id });
  });

  it('notifies its app that it has failed after the 202: nobody waits for it any more', async () => {
    service.processor.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const told = async () => {
      const { body } = await service.tenant.ask('GET', '/v2/events?limit=200');
      return body.filter(({ type }: { type: string }) => type === 'payment.failed');
    };
    const before = (await told()).length;

    const reply = await service.buyer.ask('POST', CHECKOUT, { json: tier25k, headers: noWait });

    expect(reply.status).to.equal(202);
    const events = await eventually(async () => {
      const all = await told();
      return all.length > before && all;
    });
    expect(events.slice(before).map(({ data }: { data: object }) => data)).to.deep.equal([
      {
        payment_id: reply.body.payment_id,
        user_id: service.buyer.userId,
        processor_payment_intent_id: null,
        status: 'failed',
      },
    ]);
  });

  it('passes on a rejection by the processor', async () => {
    service.processor.faults.add({ kind: 'reject', route: CREATE, times: 1 });

    const reply = await ask(tier25k);

    expectRejected(reply, 'PROCESSOR_REJECTED', { effect: 'none', reason: 'scripted_rejection' });
  });
});

describe('checkOut without a processor', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '400' } });
    await service.processor.close();
  });
  after(() => service.stop());

  it('ends unsent at its deadline, and the payment has failed', async () => {
    const reply = await service.buyer.ask('POST', CHECKOUT, { json: tier25k });

    expectRejected(reply, 'PROCESSOR_UNREACHABLE', { effect: 'none', retryable: true });
    const intent = await service.tenant.ask('GET', `/v2/intents/${reply.headers.get('intent-id')}`);
    expect(intent.body).to.include({ state: 'expired', sending_at: null });
  });
});

describe('checkOut where no processor is configured', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  it('responds that no processor is configured, as the notification route does', async () => {
    const buyer = await service.user(await service.app(['api']));

    expectRejected(await buyer.ask('POST', CHECKOUT, { json: tier25k }), 'V2_PAYMENTS_NOT_CONFIGURED');
    expectRejected(
      await raw(service.url + WEBHOOK, '{"id":"evt_1","type":"x","created":1,"data":{"object":{}}}', 't=1,v1=00'),
      'V2_PAYMENTS_NOT_CONFIGURED',
    );
  });
});
