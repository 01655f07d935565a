import { expect } from 'chai';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';

describe('payouts in a currency that banks take in whole units only', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    await service.control('settings', { country: 'HU' });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());

  const sentToBank = ({ connected }: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'payout' && detail.account === connected)
      .map(({ detail }) => `${detail.amount} ${detail.currency}`);

  it('send what the bank can take, and the rest stays at the account, where the ledger has it', async () => {
    const trader = await earner(service, app, 300, 'HU');
    const id = await trader.request(10_001);

    await trader.submit(id);

    await eventually(async () => sentToBank(trader).length === 1);
    expect(sentToBank(trader)).to.deep.equal(['3614000 huf']); // of 36140.61
    const [shown] = await eventually(async () => {
      const { body } = await trader.ask('GET', '/v2/payouts');
      return body[0].id === id && body[0].bank_amount_cents !== null && body;
    });
    expect(shown).to.include({ bank_amount_cents: 3_614_000, bank_currency: 'huf' });
    await service.runTask('ledger/prove', {});
    expect((await operator.ask('GET', '/v2/admin/ledger/differences')).body).to.deep.equal([]);
  });

  it('may be of billions of the smallest unit', async () => {
    const trader = await earner(service, app, 70_000, 'HU');
    const id = await trader.request(6_500_000);

    await trader.submit(id);

    await eventually(async () => sentToBank(trader).length === 1);
    expect(sentToBank(trader)).to.deep.equal(['2348905000 huf']);
    const bank = service.processor.ledger.entries().findLast(({ kind }) => kind === 'payout');
    await service.control('payout', { id: bank?.detail.id, to: 'paid' });
    expect(await trader.payoutIs(id, 'completed')).to.include({ bank_amount_cents: 2_348_905_000 });
  });
});
