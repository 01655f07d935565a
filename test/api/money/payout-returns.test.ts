import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const nothing = z.object({});

describe('what a bank or the processor takes back without a notification', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(() => service.control('notifications', { hold: false }));

  const bankPayout = (trader: Earner) =>
    service.processor.ledger
      .entries()
      .findLast(({ kind, detail }) => kind === 'payout' && detail.account === trader.connected)?.detail.id;
  /** A payout that the bank has paid; nothing is notified from then on. */
  async function completed(trader: Earner): Promise<string> {
    const id = await trader.request(10_000);
    await trader.submit(id);
    await service.control('payout', { id: await eventually(async () => bankPayout(trader)), to: 'paid' });
    await trader.payoutIs(id, 'completed');
    await service.control('notifications', { hold: true });
    return id;
  }
  /** The bank paid it so many days ago, and it was last read then. */
  const paidBefore = (id: string, days: number) =>
    service.db.query(sql.type(nothing)`
      update payout_steps
      set ended_at = now() - make_interval(days => ${days}), reconciled_at = now() - make_interval(days => ${days}),
        created_at = now() - make_interval(days => ${days})
      where payout_id = ${id} and step = 'payout'`);
  const stranded = async (payout: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/payouts/stranded');
    return body.find((each: { payout_id: string }) => each.payout_id === payout);
  };

  it('is found: the bank returns a payout nine days after it was paid', async () => {
    const trader = await earner(service, app, 300);
    const id = await completed(trader);
    await service.control('payout', { id: bankPayout(trader), to: 'failed' });
    await service.runTask('payouts/reconcile');
    expect((await trader.payoutIs(id, 'completed')).id).to.equal(id);
    await paidBefore(id, 9);

    await service.runTask('payouts/reconcile');

    expect(await trader.payoutIs(id, 'failed')).to.include({ failure_reason: 'account_closed' });
    expect(await stranded(id)).to.include({ safe_action: 'submit again, or reverse' });
  });

  it('is found: another payout has taken it back from the bank', async () => {
    const trader = await earner(service, app, 300);
    const id = await completed(trader);
    await service.control('payout', { id: bankPayout(trader), to: 'reversed' });
    await paidBefore(id, 2);

    await service.runTask('payouts/reconcile');

    expect(await trader.payoutIs(id, 'failed')).to.include({ failure_reason: 'reversed' });
  });

  it('is found: an account whose payouts were stopped can receive them again, also an old one', async () => {
    const trader = await earner(service, app, 300);
    const isEnabled = async () => (await trader.ask('GET', '/v2/connect/accounts')).body[0].payouts_enabled;
    await service.control('account', { id: trader.connected, to: 'restricted' });
    await eventually(async () => !(await isEnabled()));
    await service.control('notifications', { hold: true });
    await service.control('account', { id: trader.connected, to: 'ready' });
    await service.db.query(sql.type(nothing)`
      update connect_accounts
      set reconciled_at = now() - interval '25 hours', created_at = now() - interval '31 days'
      where processor_account_id = ${trader.connected}`);

    await service.runTask('payouts/reconcile');

    expect(await isEnabled()).to.equal(true);
  });

  it('is found: the processor has stopped the payouts of an account that could receive them', async () => {
    const trader = await earner(service, app, 300);
    await service.control('notifications', { hold: true });
    await service.control('account', { id: trader.connected, to: 'restricted' });
    await service.db.query(sql.type(nothing)`
      update connect_accounts
      set reconciled_at = now() - interval '25 hours', seen_at = now() - interval '25 hours'
      where processor_account_id = ${trader.connected}`);

    await service.runTask('payouts/reconcile');

    expect((await trader.ask('GET', '/v2/connect/accounts')).body[0]).to.include({ payouts_enabled: false });
    expectRejected(
      await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 5_000 } }),
      'V2_PAYOUT_ACCOUNT_NOT_READY',
    );
  });
});
