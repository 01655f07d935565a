import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { accountIn, eventually, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const nothing = z.object({});

describe('events that cannot be applied', () => {
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' } });
    app = await payingApp(service);
  });
  after(() => service.stop());

  let number = 0;
  /** An event as the processor writes it, its object with all members of the published fixtures that matter here. */
  const event = (type: string, object: object, more: object = {}) => {
    number += 1;
    const created = Math.floor(Date.now() / 1000);
    return { id: `evt_odd_${number}`, object: 'event', type, created, livemode: false, data: { object }, ...more };
  };
  const outcomeOf = ({ id }: { id: string }) =>
    eventually(() =>
      service.db.maybeOneFirst(sql.type(z.object({ outcome: z.string().nullable() }))`
        select outcome from processor_events where id = ${id} and acted_at is not null`),
    );
  const alerted = ({ id }: { id: string }) =>
    service.log.lines.some((line) => line.alert === 'processor_event_unreadable' && line.event_id === id);
  const listed = async () =>
    service.db.anyFirst(sql.type(z.object({ event_id: z.string() }))`select event_id from ops.unreadable_events`);
  const dismiss = ({ id }: { id: string }) =>
    service.db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
      select ops.dismiss_event(${id}, 'ada', 'read in the dashboard') as verdict`);
  const made = (trader: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'payout' && detail.account === trader.connected)
      .map(({ detail }) => String(detail.id));

  it('are nobody’s where they name nothing of ours, whatever they look like', async () => {
    const strange = [
      event('payout.paid', { id: 'po_1', object: 'payout', amount: -700, currency: 'usd', status: 'paid' }),
      event('payout.paid', { id: 'po_2', amount: -700, currency: 'usd', status: 'paid' }, { account: 'acct_other' }),
      event('payment_intent.succeeded', { id: 'pi_other', status: 'a new one' }),
      event('charge.dispute.created', { id: 'du_other', amount: 'much', payment_intent: 'pi_other' }),
      event('charge.refunded', { id: 'ch_other' }),
      event('transfer.reversed', { id: 'tr_other', object: 'transfer' }),
      event('account.updated', { id: 'acct_other' }, { account: 'acct_other' }),
    ];

    for (const each of strange) {
      expect((await service.notify(each)).status).to.equal(200);
      expect(await outcomeOf(each), JSON.stringify(each)).to.equal('not_ours');
      expect(alerted(each)).to.equal(false);
    }
  });

  it('stop the account: a dispute in another currency, kept until an operator closes it', async () => {
    const trader = await earner(service, app, 300);
    const dispute = { id: 'du_odd', object: 'dispute', amount: 500, currency: 'eur', status: 'needs_response' };
    const disputed = event('charge.dispute.created', { ...dispute, payment_intent: trader.paymentIntent });

    await service.notify(disputed);

    expect(await outcomeOf(disputed)).to.equal('unreadable');
    expect(await accountIn(trader.ask, 'eliminated')).to.include({ failure_reason: 'disputed' });
    expect(alerted(disputed)).to.equal(true);
    await service.db.query(sql.type(nothing)`
      update processor_events set received_at = now() - interval '400 days' where id = ${disputed.id}`);
    await service.runTask('housekeeping/prune');
    expect(await listed()).to.include(disputed.id);
    expect(await dismiss(disputed)).to.equal('done');
    expect(await dismiss(disputed)).to.equal('not_open');
    expect(await listed()).not.to.include(disputed.id);
    await accountIn(trader.ask, 'evaluation', 'funded', 'provisioning');
  });

  it('stop the account: an event of its payment without a member, until an operator reinstates it', async () => {
    const trader = await earner(service, app, 300);
    const odd = event('payment_intent.processing', { id: trader.paymentIntent, object: 'payment_intent' });

    await service.notify(odd);

    expect(await accountIn(trader.ask, 'eliminated')).to.include({ failure_reason: 'under_review' });
    const admin = await service.admin();
    const path = `/v2/admin/prop-accounts/${trader.account.id}/reinstate`;
    expect((await admin.ask('POST', path, { json: { reason: 'it was paid' } })).status).to.equal(200);
    await accountIn(trader.ask, 'evaluation', 'funded', 'provisioning');
    expect(await listed()).not.to.include(odd.id);
  });

  it('stop the payouts to their payout account', async () => {
    const trader = await earner(service, app, 300);
    const odd = event('account.updated', { id: trader.connected, object: 'account' }, { account: trader.connected });

    await service.notify(odd);

    expect(await outcomeOf(odd)).to.equal('unreadable');
    expect(alerted(odd)).to.equal(true);
    const wanted = { json: { amount_cents: 5_000 } };
    expectRejected(await trader.ask('POST', '/v2/payouts/request', wanted), 'V2_PAYOUT_UNDER_REVIEW');
    expect(await dismiss(odd)).to.equal('done');
    expect((await trader.ask('POST', '/v2/payouts/request', wanted)).status).to.equal(200);
  });

  it('are none of those of a payout that another one takes back from the bank: it has failed', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    await trader.submit(id);
    await eventually(async () => made(trader).length === 1);
    const [payout] = made(trader);
    await service.control('payout', { id: payout, to: 'paid' });
    await trader.payoutIs(id, 'completed');

    await service.control('payout', { id: payout, to: 'reversed' });

    expect(await trader.payoutIs(id, 'failed')).to.include({ failure_reason: 'reversed', reversed_cents: 0 });
    const about = service.processor.events.filter(({ account }) => account === trader.connected);
    for (const each of about) expect(await outcomeOf(each)).to.be.oneOf(['applied', 'stale']);
    expect(await trader.estimate()).to.equal(20_000);
    await trader.submit(id);
    await eventually(async () => made(trader).length === 2);
  });
});
