import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { earner, payingApp } from '../../support/earning.ts';
import { accountIn, checkOut, eventually, type Money, PROCESSOR, startMoney, tier25k } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { backUp, loseSince, recover } from '../../support/restored.ts';

const lostRow = z.object({
  kind: z.string(),
  subject_id: z.string(),
  amount_cents: z.number(),
  safe_action: z.string(),
});

describe('money that moved after the backup of a restored database', function () {
  this.timeout(60_000);
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
  });
  after(() => service.stop());

  it('is found at the processor: a lost payment is listed for operators, and a lost payout is never paid again', async () => {
    const trader = await earner(service, await payingApp(service), 500);
    const since = new Date().toISOString();
    const payout = await trader.request(50_000);
    expect((await trader.submit(payout)).status).to.equal(200);
    const transfers = () => service.processor.ledger.entries().filter(({ kind }) => kind === 'transfer');
    const { payment_id, processor_payment_intent_id } = await checkOut(service.buyer.ask);
    const before = transfers().length;
    await loseSince(service, since);
    expect(await trader.estimate(), 'what a database that knows nothing would pay again').to.equal(50_000);

    const [stdout, again] = [await recover(service, since), await recover(service, since)];

    expect(stdout).to.contain(`payment  ${processor_payment_intent_id} (${payment_id})  19900 usd`);
    expect(stdout).to.match(new RegExp(`transfer {2}tr_\\S+ \\(${payout}\\) {2}50000 usd`));
    expect(again).to.contain(`(${payout})`);
    expectRejected(
      await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 100 } }),
      'V2_PAYOUT_EXCEEDS_EARNINGS',
    );
    expect(await trader.estimate()).to.equal(0);
    expect(transfers()).to.have.length(before);
    const kept = await service.db.any(sql.type(lostRow)`
      select kind, subject_id, amount_cents, safe_action from ops.lost_money order by kind`);
    expect(kept.map(({ kind, subject_id, amount_cents }) => [kind, subject_id, amount_cents])).to.deep.equal([
      ['payment', payment_id, 19_900],
      ['transfer', payout, 50_000],
    ]);
    expect(kept[1]?.safe_action, 'nobody here pays it to the bank').to.match(/pay it out there/);
  });

  it('counts as paid, also where the account that received it was lost, and its owner connects another', async () => {
    const trader = await earner(service, await payingApp(service), 500);
    const since = new Date().toISOString();
    const payout = await trader.request(50_000);
    expect((await trader.submit(payout)).status).to.equal(200);
    await loseSince(service, since);
    await service.db.query(sql.unsafe`delete from connect_accounts where processor_account_id = ${trader.connected}`);

    await recover(service, since);

    const { body } = await trader.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    expect(body.processor_account_id).not.to.equal(trader.connected);
    await service.control('account', { id: body.processor_account_id });
    expect(await trader.estimate()).to.equal(0);
    const lost = service.processor.ledger
      .entries()
      .find(({ kind, detail }) => kind === 'transfer' && detail.destination === trader.connected);
    await service.control('transfer', { id: lost?.detail.id, amount: 20_000 });
    await recover(service, since);
    expect(await trader.estimate(), 'what the processor took back').to.equal(20_000);
  });

  it('is found where the trader who received it has left the platform', async () => {
    const trader = await earner(service, await payingApp(service), 500);
    const since = new Date().toISOString();
    const payout = await trader.request(50_000);
    expect((await trader.submit(payout)).status).to.equal(200);
    await loseSince(service, since);
    await service.control('account', { id: trader.connected, to: 'deauthorized' });

    expect(await recover(service, since)).to.contain(`(${payout})  50000 usd`);
  });

  it('is looked for again a day later, which touches nothing that was accepted meanwhile', async () => {
    const since = new Date().toISOString();
    await recover(service, since);
    const buyer = await service.user(service.tenant);
    const { processor_payment_intent_id: id } = await checkOut(buyer.ask);
    service.processor.faults.add({ kind: 'status_429', route: 'POST /v1/payment_intents' });
    const later = { json: tier25k, headers: { Prefer: 'respond-async' } };
    const open = (await buyer.ask('POST', '/v2/payments/checkout', later)).headers.get('intent-id');

    const earlier = new Date(Date.parse(since) - 60_000).toISOString(); // whoever looks further back
    for (const from of [since, earlier]) expect(await recover(service, from)).not.to.contain('never sent');

    const presumed = sql.unsafe`select from intents where id = ${open} and presumed_sent_at is not null`;
    expect(await service.db.exists(presumed)).to.equal(false);
    service.processor.faults.clear();
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(buyer.ask, 'evaluation');
  });

  it('is not paid to the bank again: a payout that the backup shows as unsent is found there on both its ways', async () => {
    const trader = await earner(service, await payingApp(service), 500);
    const paidTo = () =>
      service.processor.ledger.entries().filter(({ kind, detail }) => {
        return kind === 'payout' && detail.account === trader.connected;
      });
    const payout = await trader.request(50_000);
    await service.stopWorkers();
    await trader.ask('POST', `/v2/payouts/${payout}/submit`, { headers: { Prefer: 'respond-async' } });
    const { since, restore } = await backUp(service, [
      'intents',
      'payouts',
      'payout_steps',
      'ledger_transactions',
      'ledger_entries',
    ]);
    await service.startWorker();
    await eventually(async () => paidTo().length === 1);
    await service.stopWorkers();
    await fetch(`${service.processor.url}/v1/transfers`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${PROCESSOR.secretKey}` },
      body: new URLSearchParams({ amount: '50000', currency: 'usd', destination: trader.connected }),
    }); // other money, of which the bank could be paid again
    await restore();

    await recover(service, since);
    await service.startWorker();
    await eventually(async () => {
      const rows = await service.db.any(
        sql.unsafe`select from payout_steps where payout_id = ${payout} and step = 'payout' and state = 'sent'`,
      );
      return rows.length === 1;
    });

    const [made] = paidTo();
    expect(paidTo()).to.have.length(1);
    await service.control('payout', { id: made?.detail.id, to: 'paid' });
    await trader.payoutIs(payout, 'completed');
  });
});
