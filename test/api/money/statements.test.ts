import { expect } from 'chai';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { market } from '../../support/orders.ts';

type Line = { kind: string; what: string; reference: string; amount_cents: number | null; user_id: string | null };

describe('the statement of an app', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  let trader: Earner;
  before(async () => {
    service = await startMoney();
    app = await payingApp(service);
    trader = await earner(service, app, 500);
  });
  after(() => service.stop());

  const lines = async (kind: string): Promise<Line[]> => (await app.ask('GET', `/v2/statements?kind=${kind}`)).body;
  const told = async (kind: string, reference?: string) =>
    (await lines(kind))
      .filter((line) => reference === undefined || line.reference === reference)
      .map(({ what, amount_cents }) => [what, amount_cents]);

  it('states what was received, and what was disputed and won back', async () => {
    const { payment_id, processor_payment_intent_id: id } = await checkOut(trader.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await eventually(async () => (await told('payment', payment_id)).length === 1);
    await service.control('payment', { id, to: 'disputed' });
    await eventually(async () => (await told('payment', payment_id)).length === 2);
    const dispute = service.processor.events.findLast(({ type }) => type === 'charge.dispute.created');
    await service.control('dispute', { id: Object(dispute?.data.object).id, to: 'won' });
    await eventually(async () => (await told('payment', payment_id)).length === 3);

    expect(await told('payment', payment_id)).to.deep.equal([
      ['received', 19_900],
      ['disputed', -19_900],
      ['won_back', 19_900],
    ]);
    const [first] = (await lines('payment')).filter(({ reference }) => reference === payment_id);
    expect(first).to.include({ user_id: trader.userId, currency: 'usd' });
  });

  it('states a refund', async () => {
    const { payment_id, processor_payment_intent_id: id } = await checkOut(trader.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await eventually(async () => (await told('payment', payment_id)).length === 1);
    await service.control('payment', { id, to: 'refunded' });
    await eventually(async () => (await told('payment', payment_id)).length === 2);

    expect(await told('payment', payment_id)).to.deep.equal([
      ['received', 19_900],
      ['refunded', -19_900],
    ]);
  });

  it('states what a payout transferred, once', async () => {
    const payout = await trader.request(1_000);
    await trader.submit(payout);
    await eventually(async () => (await told('payout', payout)).length > 0);
    await service.runTask('payouts/reconcile');

    expect(await told('payout', payout)).to.deep.equal([['transferred', -1_000]]);
    const [line] = await lines('payout');
    expect(line).to.include({ prop_account_id: trader.account.id, user_id: trader.userId });
  });

  it('states the executions of its accounts, and nothing of other apps', async () => {
    const { body } = await trader.ask('POST', '/v2/trading/orders', {
      json: market(),
      headers: { 'X-Prop-Account': trader.account.id },
    });
    const other = await service.app(['api']);

    const [fill] = await lines('fill');

    expect(fill).to.include({ reference: body.order_uuid, prop_account_id: trader.account.id, side: 'LONG' });
    expect((await other.ask('GET', '/v2/statements')).body).to.deep.equal([]);
  });
});
