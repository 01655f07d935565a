import { expect } from 'chai';
import nock from 'nock';
import { z } from 'zod';
import { processor } from '../../src/adapters/processor/index.ts';
import { submit } from '../../src/capabilities/payouts/submit.ts';
import { defineProcessorIntent, type ProcessorDeps } from '../../src/intents/replay.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { absent, accepted, found, unreadable } from '../../src/kernel/upstream-result.ts';

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

describe('a write at the processor whose response was lost, and that its lists do not have', () => {
  for (const [what, may, kind, calls] of [
    ['is repeated if it may still be made', found(null), 'accepted', 1],
    ['is not repeated while it cannot be read whether it may', unreadable('down'), 'unknown', 0],
    ['is left to operators if it must not', absent, 'undecidable', 0],
  ] as const)
    it(what, async () => {
      let called = 0;
      const verb = defineProcessorIntent({
        ...{ kind: 'payouts/pay', retention: 'with_money', request: z.object({}), payload: z.object({}) },
        prepare: async (_, __: ProcessorDeps) => ({ send: {} }),
        call: async () => {
          called += 1;
          return accepted({});
        },
        mayRepeat: async () => may,
        record: async () => true,
      });
      const intent = { id: newIntentId(), sent_ago_ms: 120_000, sending_at: null, sent_payload: {} };

      const finding = await verb.reconcile({ intent, payload: {} } as never, {} as never); // as: the only members that it reads

      expect(finding).to.include({ kind });
      expect(called).to.equal(calls);
    });
});
