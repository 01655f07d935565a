import { expect } from 'chai';
import { sql } from 'slonik';
import type Stripe from 'stripe';
import type { TestUser } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';

const PRICE = tier25k.amount_cents;

describe('a dispute that was prevented', () => {
  let service: Money;
  let user: TestUser;
  let processorId: string;
  let paymentId: string;
  before(async () => {
    service = await startMoney();
  });
  after(() => service.stop());
  beforeEach(async () => {
    user = await service.user(service.tenant);
    const checkout = await checkOut(user.ask, tier25k);
    paymentId = checkout.payment_id;
    processorId = checkout.processor_payment_intent_id;
    await service.control('payment', { id: processorId, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
  });

  const notify = (
    balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'object' | 'amount' | 'fee' | 'net'>[],
  ) =>
    service.notify({
      id: `evt_${paymentId}`,
      object: 'event',
      type: 'charge.dispute.created',
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      data: {
        object: {
          id: `du_${paymentId}`,
          object: 'dispute',
          amount: PRICE,
          balance_transactions,
          charge: 'ch_1',
          currency: 'usd',
          payment_intent: processorId,
          status: 'prevented' satisfies Stripe.Dispute.Status,
        },
      },
    });
  const payment = async () => (await user.ask('GET', `/v2/payments/${paymentId}`)).body;
  const account = async () => (await user.ask('GET', '/v2/payments/prop-accounts')).body[0];

  it('by paying the card holder back has taken the money: it stops the account', async () => {
    await notify([{ id: 'txn_1', object: 'balance_transaction', amount: -PRICE, fee: 0, net: -PRICE }]);

    expect(await accountIn(user.ask, 'eliminated')).to.include({ failure_reason: 'disputed' });
    expect(await payment()).to.include({ status: 'disputed', disputed_cents: PRICE });
  });

  it('by blocking it has taken nothing: the account trades on', async () => {
    await notify([]);

    const event = `evt_${paymentId}`;
    await eventually(() =>
      service.db.exists(sql.unsafe`select from processor_events e where e.id = ${event} and e.outcome = 'applied'`),
    );
    expect(await account()).to.include({ status: 'evaluation' });
    expect(await payment()).to.include({ status: 'succeeded', disputed_cents: 0 });
  });
});
