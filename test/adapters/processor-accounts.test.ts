import { expect } from 'chai';
import nock from 'nock';
import { processor } from '../../src/adapters/processor/index.ts';
import { alone } from '../support/alone.ts';

const URL = 'https://processor.test';
/** What the processor does not let us do with one connected account, whichever our key. */
const OF_ONE_ACCOUNT = [
  'capability_not_active',
  'more_permissions_required_for_application',
  'not_allowed_on_standard_account',
  'payouts_not_allowed',
  'transfers_not_allowed',
];

describe('a 403 of the processor', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec' });
  alone();

  const payOut = (code?: string) => {
    const error = { type: 'invalid_request_error', ...(code && { code }), message: 'secret words of the upstream' };
    nock(URL).post('/v1/payouts').matchHeader('stripe-account', 'acct_1').reply(403, { error });
    return upstream.payOut({ payoutId: 'po_1', accountId: 'acct_1', amountCents: 500, currency: 'usd' }, 'intent-1');
  };

  for (const code of OF_ONE_ACCOUNT)
    it(`that concerns one account rejects this write: ${code}`, async () => {
      expect(await payOut(code)).to.include({ kind: 'rejected', slug: code });
      nock(URL)
        .get('/v1/accounts/acct_1')
        .reply(403, { error: { type: 'invalid_request_error', code } });
      expect(await upstream.findAccount('acct_1')).to.deep.equal({ kind: 'unreadable', why: code });
    });

  it('that names no code, or one of the key, concerns our key', async () => {
    for (const code of [undefined, 'more_permissions_required', 'secret_key_required'])
      expect(await payOut(code), code).to.include({ kind: 'rejected', slug: 'processor_auth' });
  });
});
