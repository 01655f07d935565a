import { expect } from 'chai';
import nock from 'nock';
import { processor } from '../../src/adapters/processor/index.ts';

const URL = 'https://processor.test';
const MADE_S = 1_700_000_000;
const AVAILABLE_S = MADE_S + 86_400;

type ProcessorRecords = { transfer?: object; arrival?: Record<string, unknown>; refund?: object; refunds?: object };

describe('what an account at the processor holds of a transfer', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec_1' });
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });
  afterEach(() => nock.cleanAll());

  /** Reads 500 that arrived, of which 120 were given back. */
  function hold({ transfer, arrival, refund, refunds }: ProcessorRecords = {}) {
    const moved = (net: number, more: object = {}) => ({
      balance_transaction: { net, currency: 'usd', created: MADE_S, available_on: AVAILABLE_S, ...more },
    });
    const page = { data: [{ id: 're_1', ...moved(-120, refund) }], has_more: false, ...refunds };
    nock(URL)
      .get('/v1/transfers/tr_1')
      .reply(200, {
        id: 'tr_1',
        destination: 'acct_1',
        destination_payment: 'py_1',
        amount_reversed: 100,
        ...transfer,
      });
    const at = nock(URL, { reqheaders: { 'stripe-account': 'acct_1' } });
    at.get('/v1/charges/py_1')
      .query(true)
      .reply(200, { id: arrival?.id ?? 'py_1', ...moved(500, arrival) });
    at.get('/v1/refunds')
      .query((query) => query.charge === 'py_1')
      .reply(200, page);
    return upstream.findHolding('tr_1', 'acct_1');
  }

  it('is what arrived there, less what was given back, from when it is available', async () => {
    expect(await hold()).to.deep.equal({
      kind: 'found',
      data: {
        ...{ arrivalId: 'py_1', heldCents: 380, currency: 'usd', reversedCents: 100 },
        availableAtMs: 1_000 * AVAILABLE_S,
        movements: [
          { id: 'py_1', net: 500, atMs: 1_000 * MADE_S },
          { id: 're_1', net: -120, atMs: 1_000 * MADE_S },
        ],
      },
    });
  });

  for (const [what, shown] of [
    ['the transfer is to another account', { transfer: { destination: 'acct_2' } }],
    ['another transfer to it is shown', { transfer: { id: 'tr_2' } }],
    ['another payment to it is shown', { arrival: { net: 900, id: 'py_2' } }],
    ['what was given back is in another currency', { refund: { currency: 'eur' } }],
    ['what was given back is shown as received', { refund: { net: 120 } }],
    ['what arrived is shown as given back', { arrival: { net: -500 } }],
    ['it is not shown when it is available', { arrival: { available_on: null } }],
    ['a part of what was given back is not shown', { refunds: { data: [{ id: 're_1' }] } }],
  ] satisfies [string, ProcessorRecords][])
    it(`is not known where ${what}`, async () => {
      expect(await hold(shown)).to.include({ kind: 'unreadable' });
    });
});
