import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';

const eventRow = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

describe('the journey of a buyer', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ upstream: { activationMs: 300 } });
  });
  after(() => service.stop());

  it('goes from sign-up over a checkout and its payment to a funded account', async () => {
    const { ask } = service.buyer;
    const offered = await ask('GET', '/v2/tiers');
    expect(offered.body.map(({ tier_id }: { tier_id: string }) => tier_id)).to.include('tier_25k');

    const checkout = await checkOut(ask, tier25k);
    expect(checkout).to.include({ amount_cents: 19_900, currency: 'usd', status: 'requires_payment_method' });
    await payOnPage(checkout.client_secret);

    const paid = await eventually(async () => {
      const { body } = await ask('GET', `/v2/payments/${checkout.payment_id}`);
      return body.status === 'succeeded' && body;
    });
    expect(paid.client_secret).to.equal(null);
    const account = await accountIn(ask, 'evaluation');
    expect(account).to.include({ tier_id: 'tier_25k', account_size: 25_000, failure_reason: null });
    expect(account.processor_payment_intent_id).to.equal(checkout.processor_payment_intent_id);
    expect(account.synthetic_hotkey).to.match(/^test_entity_\d+$/);

    await service.network({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
    const synced = await ask('POST', `/v2/lifecycle/sync/${account.id}`);
    expect(synced.body).to.deep.equal({
      prop_account_id: account.id,
      status: 'funded',
      subaccount_id: account.subaccount_id,
      synthetic_hotkey: account.synthetic_hotkey,
      synced: true,
    });
    const { body } = await ask('GET', `/v2/payments/${checkout.payment_id}`);
    expect(body.prop_account_id).to.equal(account.id);
    expect(body.timeline.map(({ event }: { event: string }) => event)).to.deep.equal([
      'created',
      'succeeded',
      'account_opened',
      'account_funded',
    ]);
  });

  it('notifies the app once that the payment arrived', async () => {
    const reported = await service.db.any(
      sql.type(eventRow)`
        select e.type, event_body(e)::jsonb -> 'data' as data from events e where starts_with(e.type, 'payment.')`,
    );

    expect(reported).to.have.length(1);
    expect(reported[0]).to.have.property('type', 'payment.succeeded');
    expect(reported[0]?.data).to.have.all.keys('payment_id', 'user_id', 'processor_payment_intent_id');
  });

  async function payOnPage(clientSecret: string): Promise<void> {
    const page = `${service.processor.url}/sandbox/pay/${clientSecret}`;
    expect(await (await fetch(page)).text()).to.contain('Pay 199.00 USD');
    const reply = await fetch(page, { method: 'POST', body: new URLSearchParams({ do: 'pay' }) });
    expect(await reply.text()).to.contain('succeeded');
  }
});
