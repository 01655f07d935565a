import { expect } from 'chai';
import { earner, payingApp } from '../../support/earning.ts';
import { accountIn, eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

describe('what payouts depend on', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '1500' } });
  });
  after(() => service.stop());

  it('rejects an app that lacks the scope, and one without return addresses', async () => {
    const payout = await service.buyer.ask('POST', '/v2/payouts/request', { json: { amount_cents: 1_000 } });
    const account = await service.buyer.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });

    expectRejected(payout, 'V2_SCOPE_MISSING');
    expect(account.status).to.equal(409); // nothing is wrong with the request; the app is not ready for it
    expectRejected(account, 'V2_CONNECT_URLS_NOT_CONFIGURED');
  });

  it('are read again while nothing may be transferred to a payout account: a notification may be lost', async () => {
    const trader = await earner(service, await payingApp(service), 100);
    const statusIs = (status: string) =>
      eventually(async () => (await trader.ask('GET', '/v2/connect/accounts')).body[0].status === status);
    await service.control('account', { id: trader.connected, to: 'untransferable' });
    await statusIs('restricted');
    await service.control('notifications', { hold: true });
    await service.control('account', { id: trader.connected, to: 'ready' });

    await service.runTask('payouts/reconcile');

    await statusIs('active');
    await service.control('notifications', { hold: false });
  });

  it('returns 503, never zero, when earnings cannot be read', async () => {
    const another = await service.user(await service.app(['api']));
    await another.ask('POST', '/v2/payments/free', { json: tierDemo });
    const { id, subaccount_id } = await accountIn(another.ask, 'evaluation');
    await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
    await another.ask('POST', `/v2/lifecycle/sync/${id}`);
    service.miner.faults.add({ kind: 'status_500', route: '/entity/subaccount/payout' });

    const reply = await another.ask('GET', '/v2/payouts/estimate');

    expectRejected(reply, 'VENUE_UNREADABLE');
  });
});
