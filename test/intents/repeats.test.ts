import { expect } from 'chai';
import nock from 'nock';
import { processor } from '../../src/adapters/processor/index.ts';
import { submit } from '../../src/capabilities/payouts/submit.ts';
import { newIntentId } from '../../src/kernel/ids.ts';

const URL = 'https://processor.test';
const transfer = {
  payoutId: 'po_1',
  accountId: 'acct_1',
  amountCents: 50_000,
  currency: 'usd',
  transferId: null,
  subaccountUuid: null,
};

describe('a transfer whose response was lost, repeated under its key', () => {
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  const sent_ago_ms = 120_000;
  const sending_at = new Date(Date.now() - sent_ago_ms).toISOString();
  const sent = {
    intent: { id: newIntentId(), sent_ago_ms, sending_at, sent_payload: { transfer } },
    payload: { transfer },
  };
  const deps = { processor: processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec_1' }) };
  const reconcile = () => submit.reconcile(sent as never, deps as never); // as: the only members that it reads
  const respond = (status: number, body: object, headers = {}) =>
    nock(URL)
      .get('/v1/transfers')
      .query(true)
      .reply(200, { object: 'list', url: '/v1/transfers', has_more: false, data: [] })
      .post('/v1/transfers')
      .reply(status, body, headers);
  const error = (type: string, code: string) => ({ error: { type, code, message: 'x' } });

  for (const status of [400, 401, 402, 403, 404, 409, 429, 500, 502, 503])
    it(`stays in doubt when the repeat gets ${status}`, async () => {
      respond(status, error('invalid_request_error', 'account_invalid'));

      expect(await reconcile()).to.include({ kind: 'unknown' });
    });

  it('is rejected when the processor returns its stored response to the first request', async () => {
    respond(400, error('invalid_request_error', 'balance_insufficient'), { 'Idempotent-Replayed': 'true' });

    expect(await reconcile()).to.include({ kind: 'rejected', slug: 'balance_insufficient', recorded: true });
  });
});
