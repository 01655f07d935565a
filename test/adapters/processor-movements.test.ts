import { expect } from 'chai';
import nock from 'nock';
import type Stripe from 'stripe';
import { processor } from '../../src/adapters/processor/index.ts';
import type { MovementSought } from '../../src/adapters/processor/types.ts';

const URL = 'https://processor.test';
const sought: MovementSought = {
  ...{ step: 'transfer', key: 'intent-1', payoutId: 'po_1', accountId: 'acct_1', transferId: 'tr_0' },
  ...{ amountCents: 500, currency: 'usd', sinceMs: 1_700_000_000_000 },
};
const made = (id: string, more: object = {}) => ({
  ...{ id, amount: 500, currency: 'usd', destination: 'acct_1', destination_payment: 'py_1' },
  metadata: { intent_id: 'intent-2' },
  ...more,
});
const ours = (more: object = {}) => made('tr_ours', { metadata: { intent_id: 'intent-1' }, ...more });

describe('the search for a movement of money at the processor', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec_1' });
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  /** Returns one page after the other. */
  const pages = (...bodies: object[]) => {
    for (const body of bodies) nock(URL).get('/v1/transfers').query(true).reply(200, body);
  };

  it('reads transfers to the account, payouts of the account, and reversals of the transfer', async () => {
    const page = { data: [ours({ destination: undefined })], has_more: false };
    nock(URL)
      .get('/v1/transfers')
      .query({ limit: '100', destination: 'acct_1', transfer_group: 'po_1' })
      .reply(200, { ...page, data: [ours()] });
    nock(URL, { reqheaders: { 'stripe-account': 'acct_1' } })
      .get('/v1/payouts')
      .query((query) => query.limit === '100' && JSON.stringify(query).includes('1699999700'))
      .reply(200, page);
    nock(URL).get('/v1/transfers/tr_0/reversals').query({ limit: '100' }).reply(200, page);

    for (const step of ['transfer', 'payout', 'reversal'] as const)
      expect(await upstream.findMovement({ ...sought, step }), step).to.deep.include({
        data: { id: 'tr_ours', arrivalId: 'py_1', madeAtMs: null },
      });
  });

  it('finds one behind the first page, and proves absence only by the end of the list', async () => {
    pages({ data: [made('tr_1')], has_more: true }, { data: [ours()], has_more: false });
    expect(await upstream.findMovement(sought)).to.deep.include({ kind: 'found' });

    pages({ data: [made('tr_1')], has_more: true }, { data: [made('tr_2')], has_more: false });
    expect(await upstream.findMovement(sought)).to.deep.equal({ kind: 'absent' });
  });

  it('finds a transfer of a restored database by its payout, whatever its key, and concludes nothing if it went elsewhere', async () => {
    const presumed = { ...sought, isPresumed: true };
    const lost = (more: object = {}) =>
      nock(URL)
        .get('/v1/transfers')
        .query({ limit: '100', transfer_group: 'po_1' })
        .reply(200, {
          data: [made('tr_lost', { metadata: { intent_id: 'intent-2', payout_id: 'po_1' }, ...more })],
          has_more: false,
        });

    lost();
    expect(await upstream.findMovement(presumed)).to.have.nested.property('data.id', 'tr_lost');
    lost({ destination: 'acct_2' });
    expect(await upstream.findMovement(presumed)).to.include({ kind: 'unreadable' });
  });

  it('finds a reversal of a restored database by its own key alone: a transfer may have several', async () => {
    const earlier = { ...made('trr_1'), metadata: { intent_id: 'intent-2', payout_id: 'po_1' } };
    nock(URL)
      .get('/v1/transfers/tr_0/reversals')
      .query(true)
      .reply(200, { data: [earlier], has_more: false });

    expect(await upstream.findMovement({ ...sought, step: 'reversal', isPresumed: true })).to.deep.equal({
      kind: 'absent',
    });
  });

  it('finds a refund by its intent among those of its payment, and a checkout by its own', async () => {
    const other = { id: 're_other', metadata: { intent_id: 'intent-2' }, amount: 'of other software' };
    const refund = { id: 're_1', amount: 500, status: 'pending', payment_intent: 'pi_1', currency: 'usd' };
    const ours = { ...refund, metadata: { intent_id: 'intent-1', payment_id: 'pay_1' } };
    const checkout = { id: 'pi_1', status: 'requires_payment_method', amount_received: 0, currency: 'usd' };
    const list = (route: string, query: RegExp, ...data: object[]) =>
      nock(URL)
        .get(`/v1/${route}`)
        .query((sent) => query.test(JSON.stringify(sent)))
        .reply(200, { data, has_more: false });
    list('refunds', /"payment_intent":"pi_1"/, other, ours);
    list('payment_intents', /1699999700/, other, {
      ...checkout,
      metadata: { payment_id: 'pay_1', intent_id: 'intent-1' },
    });

    const wanted = { processorId: 'pi_1', key: 'intent-1' };
    const made = await upstream.findRefund(wanted);
    const opened = await upstream.findCheckout({ key: 'intent-1', sinceMs: sought.sinceMs });

    expect(made).to.have.nested.property('data.id', 're_1');
    expect(opened).to.have.nested.property('data.processorId', 'pi_1');
    list('refunds', /pi_1/, other, refund);
    expect(await upstream.findRefund(wanted)).to.deep.equal({ kind: 'absent' });
    list('refunds', /pi_1/, { ...ours, amount: null });
    expect(await upstream.findRefund(wanted)).to.include({ kind: 'unreadable' });
  });

  it('lists what this service made beside what other software did, whose amounts may be larger than any of ours', async () => {
    const none = { data: [], has_more: false };
    const others = { id: 'tr_other', metadata: {}, amount: 3_000_000_000, amount_reversed: 0, currency: 'huf' };
    const sent = { ...made('tr_ours'), amount_reversed: 100, created: 1_700_000_000 };
    const list = (transfers: object[]) => {
      nock(URL).get('/v1/payment_intents').query(true).reply(200, none);
      nock(URL)
        .get('/v1/transfers')
        .query(true)
        .reply(200, { data: [others satisfies Partial<Stripe.Transfer>, ...transfers], has_more: false });
      nock(URL).get('/v1/accounts/acct_1').reply(200, { id: 'acct_1', metadata: {} });
      return upstream.listMoneyMade(sought.sinceMs);
    };
    const metadata = { intent_id: '01890a5d-ac96-774b-bcce-b302099a8057', payout_id: 'po_1' };

    const read = await list([{ ...sent, metadata }]);
    nock.cleanAll();
    const broken = await list([{ ...sent, metadata, amount: null }]);

    expect(read).to.have.nested.property('data.length', 1);
    expect(read).to.have.nested.property('data[0].cents', 400);
    expect(broken).to.include({ kind: 'unreadable' });
  });

  it('concludes nothing from a list that goes on for longer than it is read', async () => {
    const page = { data: [made('tr_1')], has_more: true };
    nock(URL).persist().get('/v1/transfers').query(true).reply(200, page);
    nock(URL).persist().get('/v1/payment_intents').query(true).reply(200, page);

    expect(await upstream.findMovement(sought)).to.include({ kind: 'unreadable' });
    expect(await upstream.listMoneyMade(sought.sinceMs)).to.include({ kind: 'unreadable' });
  });

  it('names whose account received a transfer; while that cannot be read, it lists nothing', async () => {
    const metadata = { intent_id: '01890a5d-ac96-774b-bcce-b302099a8057', payout_id: 'po_1' };
    const transfer = { ...made('tr_ours'), metadata, amount_reversed: 0, created: 1_700_000_000 };
    const ownerBy = async (status: number, account: object) => {
      nock.cleanAll();
      nock(URL).get('/v1/payment_intents').query(true).reply(200, { data: [], has_more: false });
      nock(URL)
        .get('/v1/transfers')
        .query(true)
        .reply(200, { data: [transfer], has_more: false });
      nock(URL).get('/v1/accounts/acct_1').reply(status, account);
      const read = await upstream.listMoneyMade(sought.sinceMs);
      return read.kind === 'found' ? read.data.map(({ userId }) => userId) : read.kind;
    };

    expect(await ownerBy(200, { id: 'acct_1', metadata: { user_id: 'usr_1' } })).to.deep.equal(['usr_1']);
    expect(await ownerBy(403, { error: { code: 'account_invalid' } })).to.deep.equal([null]);
    expect(await ownerBy(500, { error: { type: 'api_error' } })).to.equal('unreadable');
  });

  it('concludes nothing from a broken page, an error, or one with our id and other terms', async () => {
    for (const [what, reply] of Object.entries({
      'an empty page that is not the last': [200, { data: [], has_more: true }],
      'a page without its end': [200, { data: [made('tr_1')] }],
      'an entry without an amount': [200, { data: [made('tr_1', { amount: null })], has_more: false }],
      'another amount': [200, { data: [ours({ amount: 501 })], has_more: false }],
      'another currency': [200, { data: [ours({ currency: 'eur' })], has_more: false }],
      'another account': [200, { data: [ours({ destination: 'acct_2' })], has_more: false }],
      'a missing list': [404, { error: { type: 'invalid_request_error', code: 'resource_missing' } }],
      'a rejected key': [401, { error: { type: 'invalid_request_error' } }],
      'a fault': [500, { error: { type: 'api_error' } }],
    } as const)) {
      nock(URL).get('/v1/transfers').query(true).reply(reply[0], reply[1]);

      expect(await upstream.findMovement(sought), what).to.include({ kind: 'unreadable' });
      nock.cleanAll();
    }
  });
});
