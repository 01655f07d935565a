import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, endWithoutProof, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const LATER = { headers: { Prefer: 'respond-async' } };
const REASON = { json: { reason: 'the processor was away' } };

describe('the second leg of a payout', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(async () => {
    service.processor.faults.clear();
    await service.control('notifications', { hold: false });
    await service.control('settings', { country: 'US' });
  });

  const made = (kind: string, of: string) =>
    service.processor.ledger
      .entries()
      .filter((entry) => entry.kind === kind)
      .map(({ detail }) => detail as Record<string, string | number>)
      .filter((detail) => [detail.destination, detail.account].includes(of));
  const sentToBank = (trader: Earner) => made('payout', trader.connected).map((d) => `${d.amount} ${d.currency}`);
  const emitted = (type: string, payout: string) =>
    service.db.anyFirst(sql.type(z.object({ status: z.string() }))`
      select event_body(e)::jsonb -> 'data' ->> 'status' as status
      from events e
      where e.type = ${type} and event_body(e)::jsonb -> 'data' ->> 'payout_id' = ${payout}
      order by e.position`);
  const transferOf = (trader: Earner) => made('transfer', trader.connected)[0]?.id;
  /** The money of a trader abroad, whose leg waits for it, becomes available. */
  const arrives = async (trader: Earner) => {
    const isDue = (now: boolean) =>
      eventually(() =>
        service.db.maybeOne(sql.type(z.object({ id: z.string() }))`
          update payouts
          set pay_after = case when ${now} then now() else pay_after end
          where user_id = ${trader.userId} and pay_after is not null
          returning id`),
      );
    await isDue(false);
    const arrival = [...service.processor.arrivals.values()].find(({ account }) => account === trader.connected);
    await service.control('arrival', { id: arrival?.id });
    await isDue(true);
    await eventually(async () => {
      await service.runTask('payouts/reconcile');
      return made('payout', trader.connected).length === 1;
    });
  };

  /** A payout whose payout to the bank the processor has rejected. */
  async function failedAtTheBank(trader: Earner): Promise<string> {
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    return id;
  }

  it('pays what the account still holds: the processor took part of the transfer back without a notification', async () => {
    const trader = await earner(service, app, 300);
    const first = await failedAtTheBank(trader);
    await service.control('notifications', { hold: true });
    await service.control('transfer', { id: transferOf(trader), amount: 8_000 });

    await trader.submit(first);

    await eventually(async () => sentToBank(trader).length === 1);
    expect(sentToBank(trader)).to.deep.equal(['2000 usd']);
    expect(await trader.payoutIs(first, 'transferred')).to.include({ reversed_cents: 8_000 });
    const next = await trader.request(5_000);
    await trader.submit(next);
    await eventually(async () => sentToBank(trader).length === 2);
    expect(sentToBank(trader)).to.deep.equal(['2000 usd', '5000 usd']);
  });

  it('pays nothing of a transfer that was reversed meanwhile, and the payout is reversed', async () => {
    const trader = await earner(service, app, 300);
    const id = await failedAtTheBank(trader);
    await service.control('notifications', { hold: true });
    await service.control('transfer', { id: transferOf(trader) });

    expectRejected(await trader.submit(id), 'V2_PAYOUT_REVERSED');

    await trader.payoutIs(id, 'reversed');
    expect(sentToBank(trader)).to.deep.equal([]);
    expect(await trader.estimate()).to.equal(30_000);
  });

  it('transfers nothing again of a payout that was reversed before its leg, however often it is submitted', async () => {
    const trader = await earner(service, app, 300);
    const id = await failedAtTheBank(trader);
    await service.control('notifications', { hold: true });
    await service.control('transfer', { id: transferOf(trader) });
    expectRejected(await trader.submit(id), 'V2_PAYOUT_REVERSED');

    expectRejected(await trader.submit(id), 'V2_PAYOUT_REVERSED');

    await trader.payoutIs(id, 'reversed');
    expect(made('transfer', trader.connected)).to.have.length(1);
  });

  it('pays abroad what is left there, in the currency of the account', async () => {
    const trader = await earner(service, app, 300, 'DE');
    const id = await trader.request(10_000);
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    await service.control('notifications', { hold: true });
    await service.control('transfer', { id: transferOf(trader), amount: 8_000 });

    await arrives(trader);

    expect(sentToBank(trader)).to.deep.equal(['1800 eur']);
  });

  it('keeps the currency of the account when it is submitted again, and the app is notified once', async () => {
    const trader = await earner(service, app, 300, 'DE');
    const id = await trader.request(10_000);
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    await arrives(trader);
    await service.control('payout', { id: made('payout', trader.connected)[0]?.id, to: 'failed' });
    await trader.payoutIs(id, 'failed');

    await trader.submit(id);
    await eventually(async () => sentToBank(trader).length === 2);
    expect(sentToBank(trader)).to.deep.equal(['9000 eur', '9000 eur']);
    await service.control('payout', { id: made('payout', trader.connected)[1]?.id, to: 'failed' });
    await trader.payoutIs(id, 'failed');

    expect(await emitted('payout.failed', id)).to.deep.equal(['failed']);
  });

  it('pays the traders of a platform of another country in their currency', async () => {
    await service.control('settings', { country: 'GB' });
    const trader = await earner(service, app, 300, 'GB');
    const id = await trader.request(10_000);

    await trader.submit(id);

    await eventually(async () => sentToBank(trader).length === 1);
    expect(sentToBank(trader)).to.deep.equal(['9000 gbp']);
    await service.control('payout', { id: made('payout', trader.connected)[0]?.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
  });

  it('is in the answer and in the events, and a part of it that comes back later fails nothing', async () => {
    const trader = await earner(service, app, 300, 'DE');
    const id = await trader.request(10_000);
    await trader.submit(id);
    expect(await trader.payoutIs(id, 'transferred')).to.include({ bank_amount_cents: null, bank_currency: null });
    await arrives(trader);
    await service.control('payout', { id: made('payout', trader.connected)[0]?.id, to: 'paid' });
    expect(await trader.payoutIs(id, 'completed')).to.include({ bank_amount_cents: 9_000, bank_currency: 'eur' });

    await service.control('transfer', { id: transferOf(trader), amount: 1_000 });

    const data = await eventually(() =>
      service.db.maybeOneFirst(sql.type(z.object({ data: z.record(z.string(), z.unknown()) }))`
        select event_body(e)::jsonb -> 'data' as data
        from events e
        where e.type = 'payout.updated' and event_body(e)::jsonb -> 'data' ->> 'payout_id' = ${id}`),
    );
    const bank = { bank_amount_cents: 9_000, bank_currency: 'eur' };
    expect(data).to.include({ ...bank, status: 'completed', amount_cents: 10_000, reversed_cents: 1_000 });
    expect(await emitted('payout.failed', id)).to.deep.equal([]);
  });

  it('goes on in the currency of the account after an operator has recorded the transfer from psql', async () => {
    const trader = await earner(service, app, 300, 'DE');
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/transfers' });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/transfers' });
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await endWithoutProof(service, 'payouts/submit');
    service.processor.faults.clear();

    const verdict = await service.db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
      select ops.resolve_payout(${id}, ${String(transferOf(trader))}, 'ada', 'seen in the dashboard') as verdict`);

    expect(verdict).to.equal('done');
    await trader.payoutIs(id, 'transferred');
    await arrives(trader);
    expect(sentToBank(trader)).to.deep.equal(['9000 eur']);
  });

  it('is not repeated in doubt when its transfer was reversed meanwhile, and an operator can end it', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'status_500', route: 'POST /v1/payouts' });
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await eventually(() =>
      service.db.maybeOne(sql.type(z.object({}))`
        select
        from payout_steps s
        join intents i on i.id = s.intent_id
        where s.payout_id = ${id} and s.step = 'payout' and i.state = 'in_doubt'`),
    );
    await service.control('notifications', { hold: true });
    await service.control('transfer', { id: transferOf(trader), amount: 8_000 });
    service.processor.faults.clear();

    const stranded = await eventually(async () => {
      const { body } = await operator.ask('GET', '/v2/admin/payouts/stranded');
      return body.find(
        (each: { payout_id: string; step_state: string }) =>
          [each.payout_id, each.step_state].join() === `${id},unknown`,
      );
    });

    expect(stranded).to.include({ step: 'payout' });
    expect(sentToBank(trader)).to.deep.equal([]);
    expect((await operator.ask('POST', `/v2/admin/payouts/${id}/resolve`, REASON)).body).to.include({
      status: 'absent',
    });
    await trader.submit(id);
    await eventually(async () => sentToBank(trader).length === 1);
    expect(sentToBank(trader)).to.deep.equal(['2000 usd']);
  });
});
