import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { TestUser } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';

type Event = { type: string; data: Record<string, unknown> };

describe('the life of a customer in the event log of the app', function () {
  this.timeout(30_000);
  let service: Money;
  let user: TestUser;
  let url: string;
  before(async () => {
    service = await startMoney();
    const hook = { url: 'https://hooks.example.com/life', events: ['account.updated', 'payment.dispute_lost'] };
    const { body } = await service.tenant.ask('POST', '/v2/webhook-endpoints', { json: hook });
    url = `/v2/webhook-endpoints/${body.id}/deliveries`;
    user = await service.user(service.tenant);
  });
  after(() => service.stop());

  /** The events about a user in the order of the log. */
  const told = async (type: string, userId = user.userId): Promise<Event['data'][]> => {
    const { body } = await service.tenant.ask('GET', '/v2/events?limit=200');
    return (body as Event[])
      .filter((event) => event.type === type && event.data.user_id === userId)
      .map(({ data }) => data);
  };
  const once = (type: string, count = 1) =>
    eventually(async () => {
      const events = await told(type);
      return events.length >= count && events;
    });
  const bought = async () => {
    const { processor_payment_intent_id: id, payment_id } = await checkOut(user.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    return { id, payment_id, account: await accountIn(user.ask, 'evaluation') };
  };

  it('reports that the address is proven and an agreement signed', async () => {
    await user.ask('POST', '/v2/agreements/sign', { json: { agreement_version: '1', signature_name: 'Ada' } });

    expect(await told('user.verified')).to.deep.equal([{ user_id: user.userId }]);
    const [signed] = await told('agreement.signed');
    expect(signed).to.include({ user_id: user.userId, agreement_version: '1' });
    expect(signed?.row_hash).to.match(/^[0-9a-f]{64}$/);
  });

  it('reports each status of an account with the one before, and the rule that ended it with its figures', async () => {
    const { account, payment_id } = await bought();
    const { subaccount_id } = account;
    await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
    await user.ask('POST', `/v2/lifecycle/sync/${account.id}`);
    await service.network({ subaccount_id, elimination: 'MAX_TOTAL_DRAWDOWN', closes: { dayOpen: 2 } });
    await eventually(async () => {
      await user.ask('POST', `/v2/lifecycle/sync/${account.id}`); // a reading is used again for a second
      return (await told('account.updated')).length === 4;
    });

    const events = await told('account.updated');
    expect(events.map(({ status_before, status }) => [status_before, status])).to.deep.equal([
      [null, 'provisioning'],
      ['provisioning', 'evaluation'],
      ['evaluation', 'funded'],
      ['funded', 'eliminated'],
    ]);
    expect(events.at(-1)).to.deep.include({
      ...{ prop_account_id: account.id, payment_id, reason: 'max_total_drawdown' },
      rule: 'drawdown.intraday',
      figures: { drawdown_percent: 50, limit_percent: 5 },
    });
    const deliveries = await eventually(async () => {
      const { body } = await service.tenant.ask('GET', url);
      return body.length >= 4 && body;
    });
    expect(new Set(deliveries.map((each: { event_type: string }) => each.event_type))).to.deep.equal(
      new Set(['account.updated']),
    );
  });

  it('reports the rule that the sandbox’s account of 12,000 USD breaks with its first order, with its figures', async () => {
    const buyer = await service.user(service.tenant);
    await checkOut(buyer.ask, { ...tier25k, tier_id: 'tier_breached', account_size: 12_000, amount_cents: 11_100 });
    const { id } = await accountIn(buyer.ask, 'evaluation');
    const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
    await buyer.ask('POST', '/v2/trading/orders', { json: order });
    const ended = await eventually(async () => {
      await buyer.ask('POST', `/v2/lifecycle/sync/${id}`);
      return (await told('account.updated', buyer.userId)).find(({ status }) => status === 'eliminated');
    });

    expect(ended).to.include({ reason: 'max_total_drawdown', rule: 'drawdown.intraday' });
    expect(ended?.figures).to.include({ limit_percent: 5 });
    expect(ended).to.have.nested.property('figures.drawdown_percent').within(5, 7);
  });

  it('reports a refund with its amounts, and the stop of the account', async () => {
    user = await service.user(service.tenant);
    const { id, payment_id } = await bought();
    await service.control('payment', { id, to: 'refunded', amount: 900 });

    const [refund] = await once('payment.refunded');
    expect(refund).to.include({ payment_id, refunded_cents: 900, received_cents: 19_900, currency: 'usd' });
    expect((await once('account.updated', 3)).at(-1)).to.include({ status_before: 'evaluation', reason: 'refunded' });
  });

  for (const to of ['won', 'lost'])
    it(`reports a dispute, and that it was ${to}`, async () => {
      user = await service.user(service.tenant);
      const { id, payment_id } = await bought();
      await service.control('payment', { id, to: 'disputed' });
      const [opened] = await once('payment.disputed');
      await service.control('dispute', { id: opened?.processor_dispute_id, to });

      const [ended] = await once(`payment.dispute_${to}`);
      expect(opened).to.include({ payment_id, amount_cents: 19_900, status: 'needs_response' });
      expect(ended).to.include({ payment_id, status: to, processor_dispute_id: opened?.processor_dispute_id });
      expect(await told('payment.disputed')).to.have.length(1);
    });

  it('writes nothing of a change that is rolled back', async () => {
    const { account } = await bought();
    const change = sql.type(z.object({}))`
      update prop_accounts set status = 'funded' where id = ${account.id} returning 1 / (length(id) - length(id)) as none`;

    await service.db.transaction((tx) => tx.any(change)).catch(() => {});

    expect((await told('account.updated')).filter(({ status }) => status === 'funded')).to.deep.equal([]);
  });
});
