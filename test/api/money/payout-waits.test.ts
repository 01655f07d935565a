import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';

const nothing = z.object({});
const LATER = { headers: { Prefer: 'respond-async' } };

describe('a payout that waits', () => {
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' } });
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(async () => {
    service.processor.faults.clear();
    await service.control('notifications', { hold: false });
  });

  const made = (kind: string, { connected }: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind: each, detail }) => each === kind && [detail.destination, detail.account].includes(connected));
  const due = (payout: string) =>
    service.db.query(
      sql.type(nothing)`update payouts set pay_after = now() where id = ${payout} and pay_after is not null`,
    );

  it('has failed once the processor has rejected its reversal: nothing goes on by itself, and its user submits it again', async () => {
    const operator = await service.admin();
    const trader = await earner(service, app, 300, 'DE');
    const id = await trader.request(10_000);
    const waits = () =>
      eventually(() =>
        service.db.maybeOne(sql.type(nothing)`select from payouts where id = ${id} and pay_after is not null`),
      );
    await trader.submit(id);
    await waits();
    service.processor.faults.add({ kind: 'reject', route: '/reversals', times: 1 });

    await operator.ask('POST', `/v2/admin/payouts/${id}/reverse`, { json: { reason: 'the trader asked for it' } });

    await trader.payoutIs(id, 'failed');
    const told = await service.db.any(
      sql.type(z.object({ status: z.string() }))`
        select e.data::jsonb ->> 'status' as status
        from events e
        where e.type = 'payout.failed' and e.data::jsonb ->> 'payout_id' = ${id}`,
    );
    expect(told).to.deep.equal([{ status: 'failed' }]);
    await trader.submit(id);
    await waits();
    await trader.payoutIs(id, 'transferred');
  });

  it('goes on behind any number of others that were reversed while they waited', async () => {
    const abroad = await earner(service, app, 300, 'DE');
    const reversed = await abroad.request(10_000);
    await abroad.submit(reversed);
    await eventually(() =>
      service.db.maybeOne(sql.type(nothing)`select from payouts where id = ${reversed} and pay_after is not null`),
    );
    await service.control('transfer', { id: made('transfer', abroad)[0]?.detail.id });
    await abroad.payoutIs(reversed, 'reversed');
    await service.db.query(sql.type(nothing)`
      insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, pay_after)
      select p.id || n, p.owner, p.user_id, p.prop_account_id, p.connect_account_id, p.amount_cents, p.currency, p.status,
        p.pay_after - interval '2 days'
      from payouts p
      cross join generate_series(1, 50) as n
      where p.id = ${reversed}`); // as many as one run takes, which have ended in the same way
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    await service.control('settings', { available: 0 });
    await trader.submit(id);
    await trader.payoutIs(id, 'delayed');
    await service.control('settings', { available: null });
    await due(id);

    await service.runTask('payouts/reconcile');

    await eventually(async () => made('transfer', trader).length === 1);
  });

  it('is delayed, and has not failed, where no worker sent its second leg in time', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    await service.stopWorkers();
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await service.db.query(sql.type(nothing)`
      update intents set deadline_at = now() - interval '1 second' where kind = 'payouts/pay' and settled_at is null`);

    await service.startWorker();

    expect(await trader.payoutIs(id, 'delayed')).to.include({ failure_reason: null });
    await due(id);
    await service.runTask('payouts/reconcile');
    await eventually(async () => made('payout', trader).length === 1);
    await trader.payoutIs(id, 'transferred');
  });

  it('is found at the processor although another payout of the account was taken back from the bank', async () => {
    const trader = await earner(service, app, 300);
    const first = await trader.request(10_000);
    await trader.submit(first);
    const id = await eventually(async () => made('payout', trader)[0]?.detail.id);
    await service.control('payout', { id, to: 'paid' });
    const second = await trader.request(5_000);
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/payouts', times: 1 });
    service.processor.faults.add({ kind: 'status_500', route: '/v1/payouts' });
    await trader.ask('POST', `/v2/payouts/${second}/submit`, LATER);
    await eventually(async () => made('payout', trader).length === 2);
    await service.control('payout', { id, to: 'reversed' });

    service.processor.faults.clear();

    await eventually(() =>
      service.db.maybeOne(sql.type(nothing)`
        select from payout_steps s where s.payout_id = ${second} and s.step = 'payout' and s.state = 'sent'`),
    );
  });
});
