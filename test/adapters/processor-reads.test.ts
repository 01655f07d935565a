import { expect } from 'chai';
import nock from 'nock';
import type Stripe from 'stripe';
import { processor } from '../../src/adapters/processor/index.ts';

const URL = 'https://processor.test';
const ACCOUNT = {
  ...{ id: 'acct_1', object: 'account', country: 'US' },
  ...{ payouts_enabled: true, charges_enabled: true, details_submitted: true },
} satisfies Partial<Stripe.Account>;
const bank = (id: string, more: object = {}) => ({
  id,
  object: 'bank_account',
  bank_name: 'A',
  last4: '0001',
  ...more,
});

describe('of a connected account, the processor', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec_1' });
  const ofAccount = () => nock(URL, { reqheaders: { 'stripe-account': 'acct_1' } });
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });
  afterEach(() => nock.cleanAll());

  /** What tells one destination of money from another. */
  async function destination(...attached: object[]): Promise<string | null | undefined> {
    nock(URL)
      .get('/v1/accounts/acct_1')
      .reply(200, { ...ACCOUNT, external_accounts: { data: attached } });
    const read = await upstream.findAccount('acct_1');
    return read.kind === 'found' ? read.data.destination : undefined;
  }

  it('shows where money may go: the same in whatever order and however often it was attached, and another with any other account', async () => {
    const [one, two] = [bank('ba_1', { fingerprint: 'f1' }), bank('ba_2', { fingerprint: 'f2' })];
    const first = await destination(one, two);

    expect(first).to.be.a('string');
    expect(await destination(two, one)).to.equal(first);
    expect(await destination(bank('ba_3', { fingerprint: 'f1' }), two)).to.equal(first);
    const others = [
      await destination(one),
      await destination(two),
      await destination(one, bank('ba_2', { fingerprint: 'f3' })),
      await destination(one, bank('ba_2')),
      await destination(one, bank('ba_3')),
      await destination(one, { object: 'of another kind' }),
      await destination(),
    ];
    expect(new Set([first, ...others]).size).to.equal(1 + others.length);
    expect(others.at(-1)).to.equal(null);
  });

  it('lists events that do not name it: they are its own', async () => {
    const payout = { id: 'po_1', status: 'failed', failure_code: null, amount: 500, currency: 'usd' };
    const failed = { id: 'evt_1', type: 'payout.failed', created: 5, livemode: false, data: { object: payout } };
    const page = { data: [failed], has_more: false };
    ofAccount().get('/v1/events').query(true).reply(200, page);

    const listed = await upstream.listEvents(0, null, 'acct_1');

    expect(listed)
      .to.have.nested.property('data.events[0].fact')
      .that.includes({ about: 'payout', accountId: 'acct_1' });
    nock(URL).get('/v1/events').query(true).reply(200, page);
    expect(await upstream.listEvents(0, null)).to.have.nested.property('data.events[0].fact.about', 'nothing');
  });

  it('has what is available, pending and reserved, by currency', async () => {
    ofAccount()
      .get('/v1/balance')
      .reply(200, {
        available: [
          { amount: 100, currency: 'usd' },
          { amount: 7, currency: 'eur' },
        ],
        pending: [{ amount: -30, currency: 'usd' }],
        connect_reserved: [{ amount: 5, currency: 'usd' }],
      });

    expect(await upstream.findBalance('acct_1')).to.deep.equal({
      kind: 'found',
      data: [
        { currency: 'usd', amount: 75 },
        { currency: 'eur', amount: 7 },
      ],
    });
  });
});
