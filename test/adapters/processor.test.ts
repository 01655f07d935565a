import { expect } from 'chai';
import nock from 'nock';
import type Stripe from 'stripe';
import { processor } from '../../src/adapters/processor/index.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';

const URL = 'https://processor.test';
const SECRETS = 'whsec_platform,whsec_connect';
const request = { paymentId: 'pay_1', userId: 'usr_1', appId: 'app_1', amountCents: 19_900, currency: 'usd' };
const shown = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 19_900,
  amount_received: 0,
  currency: 'usd',
  status: 'requires_payment_method',
  client_secret: 'pi_1_secret_x',
  last_payment_error: null,
  metadata: { payment_id: 'pay_1', intent_id: 'intent-1' },
};

describe('the processor adapter', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: SECRETS });
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  const create = () => nock(URL).post('/v1/payment_intents');
  const make = () => upstream.createPayment(request, 'intent-1');

  it('sends the key, the pinned version and our metadata, and reads the response', async () => {
    const call = nock(URL, {
      reqheaders: {
        authorization: 'Bearer sk_test_1',
        'idempotency-key': 'intent-1',
        'stripe-version': '2026-10-28.endive',
      },
    })
      .post('/v1/payment_intents', (body) => {
        expect(body).to.include({ amount: '19900', currency: 'usd', 'automatic_payment_methods[enabled]': 'true' });
        expect(body).to.include({
          'metadata[payment_id]': 'pay_1',
          'metadata[user_id]': 'usr_1',
          'metadata[app_id]': 'app_1',
        });
        return true;
      })
      .reply(200, shown);

    expect(await make()).to.deep.equal({
      kind: 'accepted',
      data: {
        processorId: 'pi_1',
        paymentId: 'pay_1',
        clientSecret: 'pi_1_secret_x',
        status: 'requires_payment_method',
        paidAtMs: null,
        receivedCents: 0,
        currency: 'usd',
        failure: null,
      },
    });
    expect(call.isDone()).to.equal(true);
  });

  const error = (type: string, code: string) => ({ error: { type, code, message: 'secret words of the upstream' } });
  for (const [what, status, body, kind, slug] of [
    ['a rejected form', 400, error('invalid_request_error', 'amount_too_small'), 'rejected', 'amount_too_small'],
    ['a declined card', 402, error('card_error', 'card_declined'), 'rejected', 'card_declined'],
    ['our key rejected', 401, error('invalid_request_error', 'api_key_expired'), 'rejected', 'processor_auth'],
    ['an account that has left', 403, error('invalid_request_error', 'account_invalid'), 'rejected', 'account_invalid'],
    ['no permission', 403, error('invalid_request_error', 'more_permissions_required'), 'rejected', 'processor_auth'],
    ['too many requests', 429, error('invalid_request_error', 'rate_limit'), 'unreachable', undefined],
    ['the same key at work', 409, error('idempotency_error', 'idempotency_key_in_use'), 'unknown', undefined],
    ['the same key for another request', 400, error('idempotency_error', 'x'), 'unknown', undefined],
    ['a fault of the processor', 500, error('api_error', 'x'), 'unknown', undefined],
    ['an error without form', 500, { error: 'oops' }, 'unknown', undefined],
    ['a page of something between', 200, '<html>Please wait.</html>', 'unknown', undefined],
    ['half a response', 200, '{"id":"pi_', 'unknown', undefined],
  ] as const) {
    it(`reads ${what} as ${kind}`, async () => {
      create().reply(status, body);

      const response = await make();

      expect(response).to.include({ kind, ...(slug && { slug }) });
      expect(JSON.stringify(response)).not.to.contain('secret words');
    });
  }

  it('repeats nothing by itself, not even after a reset', async () => {
    const once = create().replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    const twice = create().reply(200, shown);

    expect(await make()).to.have.property('kind', 'unknown');
    expect(once.isDone()).to.equal(true);
    expect(twice.isDone()).to.equal(false);
  });

  it('reports that nothing was sent when the processor does not exist', async () => {
    const unreachable = processor({ url: 'http://127.0.0.1:9', secretKey: 'sk', notificationSecret: 'whsec' });
    nock.enableNetConnect('127.0.0.1');

    expect(await unreachable.createPayment(request, 'k')).to.deep.equal({ kind: 'unreachable', why: 'ECONNREFUSED' });
  });

  it('treats an object as missing only when the processor says so', async () => {
    const missing = error('invalid_request_error', 'resource_missing');
    nock(URL).get('/v1/payment_intents/pi_2?expand[0]=latest_charge').reply(404, missing);
    nock(URL).get('/v1/payment_intents/pi_3?expand[0]=latest_charge').reply(404, '<html>');

    expect(await upstream.findPayment('pi_2')).to.deep.equal({ kind: 'absent' });
    expect(await upstream.findPayment('pi_3')).to.have.property('kind', 'unreadable');
  });

  const loss = { id: 'du_1', amount: 500, charge: 'ch_1', created: 3, currency: 'usd', payment_intent: 'pi_1' };
  const dispute = { ...loss, object: 'dispute', status: 'needs_response' } satisfies Partial<Stripe.Dispute>;
  const refund = { ...loss, id: 're_1', object: 'refund', status: 'requires_action' } satisfies Partial<Stripe.Refund>;
  const charge = {
    id: 'ch_1',
    object: 'charge',
    amount_refunded: 5,
    created: 2,
    currency: 'usd',
    payment_intent: 'pi_1',
  } satisfies Partial<Stripe.Charge>;
  const transfer = {
    id: 'tr_1',
    object: 'transfer',
    amount: 500,
    amount_reversed: 100,
    currency: 'usd',
    destination: 'acct_1',
    metadata: { payout_id: 'po_ours' },
  } satisfies Partial<Stripe.Transfer>;

  it('accepts notifications signed with any of its secrets, and no others', () => {
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'charge.dispute.created',
      created: 5,
      livemode: false,
      data: { object: { ...dispute, payment_intent: { id: 'pi_1' }, evidence: { customer_name: 'Ada' } } },
    });
    const read = (header: string) => upstream.readNotification(body, header);

    for (const secret of SECRETS.split(','))
      expect(read(signature(secret, body))).to.deep.equal({
        id: 'evt_1',
        type: 'charge.dispute.created',
        atMs: 5_000,
        fact: {
          about: 'charge',
          processorId: 'pi_1',
          loss: { kind: 'dispute', id: 'du_1', cents: 500, currency: 'usd', status: 'needs_response', madeAtMs: 3_000 },
        },
      });
    for (const header of ['', 'v1=', 't=1,v1=', 't=x,v1=aa', signature('whsec_other', body)])
      expect(read(header)).to.equal('unsigned');
  });

  const intent = { ...shown, status: 'succeeded', amount_received: 19_900 };
  const session = { id: 'vs_1', status: 'verified', last_error: null, url: null, client_secret: null };
  const trader = { id: 'acct_1', payouts_enabled: true, charges_enabled: false, details_submitted: true };
  const factOf = (event: object) => {
    const body = JSON.stringify({ id: 'evt_2', created: 5, livemode: false, ...event });
    const read = upstream.readNotification(body, signature(String(SECRETS.split(',')[0]), body));
    return typeof read === 'string' ? read : read.fact;
  };

  for (const [what, type, object] of [
    ['a payment without an id', 'payment_intent.succeeded', { ...intent, id: undefined }],
    ['a payment without an amount', 'payment_intent.succeeded', { ...intent, amount_received: undefined }],
    ['a negative amount', 'payment_intent.succeeded', { ...intent, amount_received: -1 }],
    ['a fraction of a cent', 'payment_intent.succeeded', { ...intent, amount_received: 0.5 }],
    ['an amount as text', 'payment_intent.succeeded', { ...intent, amount_received: '19900' }],
    ['more cents than there are', 'payment_intent.succeeded', { ...intent, amount_received: 2 ** 40 }],
    ['a status of another version', 'payment_intent.succeeded', { ...intent, status: 'paid' }],
    ['no currency', 'payment_intent.succeeded', { ...intent, currency: null }],
    ['a refund of no amount', 'charge.refunded', { ...charge, amount_refunded: undefined }],
    ['a negative refund', 'charge.refunded', { ...charge, amount_refunded: -5 }],
    ['a refund of a fraction of a cent', 'refund.created', { ...refund, amount: 0.5 }],
    ['a dispute about nothing', 'charge.dispute.created', {}],
    ['a dispute of no amount', 'charge.dispute.created', { ...dispute, amount: undefined }],
    ['a negative reversal', 'transfer.reversed', { ...transfer, amount_reversed: -1 }],
    ['a reversal of no amount', 'transfer.reversed', { ...transfer, amount_reversed: undefined }],
    ['a session without a status', 'identity.verification_session.verified', { id: 'vs_1' }],
    ['no object', 'payment_intent.succeeded', null],
    ['a text as object', 'payment_intent.succeeded', 'pi_1'],
  ] as const) {
    it(`reads nothing from ${what}`, () => {
      expect(factOf({ type, data: { object } })).to.have.property('about', 'unreadable');
    });
  }

  it('reads objects of the platform only from the platform, and accounts and payouts only from their account', () => {
    const payout = {
      id: 'po_1',
      status: 'paid',
      failure_code: null,
      amount: 500,
      currency: 'usd',
      metadata: { payout_id: 'po_ours' },
    } satisfies Partial<Stripe.Payout>;
    const about = (type: string, object: object, more: object) => {
      const fact = factOf({ type, data: { object }, ...more });
      return typeof fact === 'string' ? fact : fact.about;
    };

    for (const [type, object, expected] of [
      ['payment_intent.succeeded', intent, 'payment'],
      ['charge.refunded', charge, 'charge'],
      ['charge.refund.updated', refund, 'charge'],
      ['refund.failed', refund, 'charge'],
      ['charge.dispute.closed', dispute, 'charge'],
      ['transfer.reversed', transfer, 'transfer'],
      ['identity.verification_session.verified', session, 'verification'],
    ] as const) {
      expect(about(type, object, {}), type).to.equal(expected);
      expect(about(type, object, { account: 'acct_1' }), type).to.equal('nothing');
      expect(about(type, object, { livemode: true }), type).to.equal('nothing');
    }
    for (const [type, object, expected] of [
      ['account.updated', trader, 'account'],
      ['payout.paid', payout, 'payout'],
    ] as const) {
      expect(about(type, object, { account: 'acct_1' }), type).to.equal(expected);
      expect(about(type, object, {}), type).to.equal('nothing');
    }
    expect(about('account.updated', trader, { account: 'acct_2' })).to.equal('nothing');
  });

  it('distinguishes bytes that are signed but no event from those that are not signed', () => {
    const read = (body: string) => upstream.readNotification(body, signature(String(SECRETS.split(',')[0]), body));

    for (const body of ['null', '"evt_1"', '[]', '{}', '{"id":7}', '{"id":"evt_\\u0000"}', '<html>'])
      expect(read(body), body).to.equal('unreadable');
    expect(read('{"id":"evt_3"}')).to.deep.include({
      id: 'evt_3',
      fact: { about: 'unreadable', of: null, object: null },
    });
  });
});
