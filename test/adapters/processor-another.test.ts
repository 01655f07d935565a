import { expect } from 'chai';
import nock from 'nock';
import { processor } from '../../src/adapters/processor/index.ts';
import type { IntentId, PayoutId } from '../../src/kernel/ids.ts';
import { alone } from '../support/alone.ts';

const URL = 'https://processor.test';
const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec' });
const KEY = 'intent-1' as IntentId;
const people = { userId: 'usr_1', appId: 'app_1' };
const money = { amountCents: 500, currency: 'usd' };
const transfer = { payoutId: 'po_1' as PayoutId, accountId: 'acct_1', ...money };
const moved = { amount: 500, currency: 'usd' };

const objects = {
  payment: { id: 'pi_1', amount_received: 0, currency: 'usd', status: 'requires_action', client_secret: 'secret' },
  refund: { id: 're_1', amount: 500, currency: 'usd', status: 'succeeded', payment_intent: 'pi_1' },
  transfer: { id: 'tr_1', ...moved, destination: 'acct_1' },
  reversal: { id: 'trr_1', ...moved, transfer: 'tr_1' },
  payout: { id: 'po_1', ...moved, destination: 'ba_1' },
  session: { id: 'vs_1', status: 'requires_input', client_secret: 'secret', url: 'https://verify.test' },
  account: { id: 'acct_1', payouts_enabled: true, charges_enabled: false, details_submitted: true },
};

describe('a write at the processor, to which it responds with what another write made', () => {
  alone();

  const writes: [string, string, { id: string; client_secret?: string }, () => Promise<{ kind: string }>][] = [
    [
      'a payment',
      '/v1/payment_intents',
      objects.payment,
      () => upstream.createPayment({ paymentId: 'p', ...people, ...money }, KEY),
    ],
    ['a refund', '/v1/refunds', objects.refund, () => upstream.refund({ processorId: 'pi_1', paymentId: 'p' }, KEY)],
    ['a transfer', '/v1/transfers', objects.transfer, () => upstream.transfer(transfer, KEY)],
    [
      'a reversal',
      '/v1/transfers/tr_1/reversals',
      objects.reversal,
      () => upstream.reverse({ ...transfer, transferId: 'tr_1' }, KEY),
    ],
    ['a payout', '/v1/payouts', objects.payout, () => upstream.payOut(transfer, KEY)],
    [
      'a verification',
      '/v1/identity/verification_sessions',
      objects.session,
      () => upstream.createVerification({ ...people, withSelfie: true, returnUrl: null }, KEY),
    ],
    [
      'a payout account',
      '/v1/accounts',
      objects.account,
      () => upstream.createAccount({ ...people, country: 'US', isAbroad: false }, KEY),
    ],
  ];
  for (const [what, path, object, write] of writes)
    it(`is in doubt, and made only by its own response: ${what}`, async () => {
      const responding = (metadata: object) =>
        nock(URL)
          .post(path)
          .reply(200, { ...object, metadata });

      responding({ intent_id: 'intent-2', user_id: 'usr_2' });
      const another = await write();
      responding({});
      const nobodys = await write();
      responding({ intent_id: KEY, user_id: 'usr_1' });
      const own = await write();

      expect([another.kind, nobodys.kind, own.kind]).to.deep.equal(['unknown', 'unknown', 'accepted']);
    });

  for (const [what, path, object, write] of writes.filter(([, , { client_secret }]) => client_secret !== undefined))
    it(`is in doubt without what the person opens it with: ${what}`, async () => {
      for (const [name, value] of [
        ['client_secret', null],
        ['client_secret', 7],
        ...('url' in object
          ? ([
              ['url', null],
              ['url', 'nowhere'],
            ] as const)
          : []),
      ] as const) {
        nock(URL)
          .post(path)
          .reply(200, { ...object, metadata: { intent_id: KEY, user_id: 'usr_1' }, [name]: value });

        expect(await write(), name).to.include({ kind: 'unknown' });
      }
    });

  for (const [what, path, object, write] of writes.filter(([, , made]) =>
    [objects.transfer, objects.reversal, objects.payout].some((one) => one === made),
  ))
    it(`is in doubt with other terms than were sent: ${what}`, async () => {
      const others = what === 'a transfer' ? { destination: 'acct_2' } : {};
      for (const [name, value] of Object.entries({ amount: 499, currency: 'eur', ...others })) {
        nock(URL)
          .post(path)
          .reply(200, { ...object, metadata: { intent_id: KEY }, [name]: value });

        expect(await write(), name).to.include({ kind: 'unknown' });
      }
    });

  it('is rejected by no error of the processor itself, nor of a gateway, whatever its status', async () => {
    for (const status of [400, 401, 403, 404]) {
      const transferred = async (error: object) => {
        nock(URL).post('/v1/transfers').reply(status, { error });
        return (await upstream.transfer(transfer, KEY)).kind;
      };

      expect(await transferred({ type: 'invalid_request_error' }), `${status}`).to.equal('rejected');
      expect(await transferred({ type: 'api_error' }), `${status}`).to.equal('unknown');
      expect(await transferred({ code: status, message: 'No' }), `${status}`).to.equal('unknown');
    }
  });

  it('is in doubt where the response names the idempotency key of another', async () => {
    const urls = { accountId: 'acct_1', returnUrl: 'https://a.test', refreshUrl: 'https://a.test' };
    const answered = async (key: string) => {
      nock(URL).post('/v1/account_links').reply(200, { url: 'https://link.test' }, { 'Idempotency-Key': key });
      return (await upstream.createLink(urls, KEY)).kind;
    };

    expect([await answered('intent-2'), await answered(KEY)]).to.deep.equal(['unknown', 'accepted']);
  });
});

describe('a list of the processor with an object that it lists twice', () => {
  alone();

  const transferred = { id: 'tr_1', destination: 'acct_1', destination_payment: 'py_1', amount_reversed: 0 };
  const made = { created: 1, available_on: 1, currency: 'usd' };
  const refund = (id: string) => ({ id, balance_transaction: { ...made, net: -100 } });
  const listing = (...pages: object[][]) => {
    nock(URL).get('/v1/transfers/tr_1').reply(200, transferred);
    nock(URL)
      .get('/v1/charges/py_1')
      .query(true)
      .reply(200, { id: 'py_1', balance_transaction: { ...made, net: 500 } });
    for (const data of pages)
      nock(URL)
        .get('/v1/refunds')
        .query(true)
        .reply(200, { data, has_more: pages.length > 1 });
    return upstream.findHolding('tr_1', 'acct_1');
  };

  it('is unreadable: it would count twice', async () => {
    expect(await listing([refund('re_1'), refund('re_2')])).to.have.nested.property('data.heldCents', 300);
    expect(await listing([refund('re_1'), refund('re_1')])).to.include({ kind: 'unreadable' });
  });

  it('is unreadable after one page that comes again, not after all pages that may be read', async () => {
    expect(await listing([refund('re_1')], [refund('re_1')])).to.include({
      kind: 'unreadable',
      why: 'an object is listed twice',
    });
  });
});
