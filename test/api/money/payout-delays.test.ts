import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readFigures } from '../../../src/metrics/queries.ts';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { eventually, type Money, PROCESSOR, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const nothing = z.object({});
const BUDGET = { name: 'none', burst: 1, perSecond: 1 };

describe('a payout whose delay is not its own fault', () => {
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' } });
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(async () => {
    service.processor.faults.clear();
    service.processor.rotateKey(PROCESSOR.secretKey);
    await service.control('settings', { available: null });
    await service.control('notifications', { hold: false });
  });

  const made = (kind: string, { connected }: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind: each, detail }) => each === kind && [detail.destination, detail.account].includes(connected));
  const failures = (payout: string) =>
    service.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select e.id from events e where e.type = 'payout.failed' and e.data::jsonb ->> 'payout_id' = ${payout}`);
  const isDelayed = async (payout: string) => {
    await service.db.query(sql.type(nothing)`
      update payouts set delayed_since = now() - interval '10 minutes' where id = ${payout} and delayed_since is not null`);
    return (await readFigures(service.db, [], BUDGET)).delayed_payouts;
  };

  it('waits for the balance of the platform, and goes on by itself, once', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    await service.control('settings', { available: 9_999 });

    const reply = await trader.submit(id);

    expect(reply.status).to.equal(202);
    expect(await trader.payoutIs(id, 'delayed')).to.include({ failure_reason: null });
    expect(await isDelayed(id)).to.equal(1);
    expect(await trader.estimate()).to.equal(20_000);
    await service.control('settings', { available: 10_000 });
    await service.db.query(sql.type(nothing)`update payouts set pay_after = now() where id = ${id}`);
    await Promise.all([service.runTask('payouts/reconcile'), service.runTask('payouts/reconcile')]);
    await eventually(async () => made('payout', trader).length === 1);
    await trader.payoutIs(id, 'transferred');
    expect(made('transfer', trader)).to.have.length(1);
    expect(await failures(id)).to.deep.equal([]);
    expect(await isDelayed(id)).to.equal(0);
  });

  it('is delayed in a search and on its user’s page, as it is for its user', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    const operator = await service.admin();
    await service.control('settings', { available: 0 });
    await trader.submit(id);
    await trader.payoutIs(id, 'delayed');

    const own = await trader.ask('GET', `/v2/search?q=${id}`);
    const found = await operator.ask('GET', `/v2/admin/search?q=${id}`);
    const page = await operator.ask('GET', `/v2/admin/users/${trader.userId}`);

    const states = [own.body[0].state, found.body.records[0].state, page.body.payouts[0].status];
    expect(states).to.deep.equal(['delayed', 'delayed', 'delayed']);
  });

  it('is canceled by its user while none of its money has moved, and its earnings are free again', async () => {
    const trader = await earner(service, app, 300);
    const [pending, delayed, sent] = [
      await trader.request(10_000),
      await trader.request(10_000),
      await trader.request(10_000),
    ];
    const cancel = (id: string, ask = trader.ask) =>
      ask('POST', `/v2/payouts/${id}/cancel`, { headers: { 'Idempotency-Key': `cancel-${id}` } });
    await trader.submit(sent);
    await service.control('settings', { available: 0 });
    await trader.submit(delayed);

    const replies = [await cancel(pending), await cancel(delayed), await cancel(delayed)];

    expect(replies[2]?.headers.get('idempotent-replayed')).to.equal('true');
    for (const { status, body } of replies) expect([status, body.status]).to.deep.equal([200, 'canceled']);
    expectRejected(await cancel(sent), 'V2_PAYOUT_NOT_PENDING');
    expectRejected(await cancel(pending, (await earner(service, app, 1)).ask), 'V2_PAYOUT_UNKNOWN');
    expectRejected(await trader.submit(pending), 'V2_PAYOUT_CANCELED');
    await service.control('settings', { available: null });
    await service.db.query(sql.type(nothing)`update payouts set pay_after = now() where pay_after is not null`);
    await service.runTask('payouts/reconcile');
    expect(await trader.estimate()).to.equal(20_000);
    await eventually(async () => made('payout', trader).length === 1);
    expect(made('transfer', trader)).to.have.length(1);
  });

  it('waits while the processor rejects our key', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.rotateKey('sk_test_another');

    await trader.ask('POST', `/v2/payouts/${id}/submit`, { headers: { Prefer: 'respond-async' } });
    await trader.payoutIs(id, 'delayed');
    service.processor.rotateKey(PROCESSOR.secretKey);

    await eventually(async () => made('payout', trader).length === 1);
    await trader.payoutIs(id, 'transferred');
    expect(await failures(id)).to.deep.equal([]);
  });

  it('is delayed in an event too, as its user reads it', async () => {
    const trader = await earner(service, app, 300, 'DE'); // where the money is available a day later
    const id = await trader.request(10_000);
    await trader.submit(id);
    const { processor_transfer_id } = await trader.payoutIs(id, 'transferred');
    service.processor.rotateKey('sk_test_another');
    await service.db.query(sql.type(nothing)`update payouts set pay_after = now() where id = ${id}`);
    await service.runTask('payouts/reconcile');
    await trader.payoutIs(id, 'delayed');

    await service.control('transfer', { id: processor_transfer_id, amount: 100 });

    const told = await eventually(() =>
      service.db.maybeOneFirst(sql.type(z.object({ status: z.string() }))`
        select e.data::jsonb ->> 'status' as status
        from events e
        where e.type = 'payout.updated' and e.data::jsonb ->> 'payout_id' = ${id}`),
    );
    const [shown] = (await trader.ask('GET', '/v2/payouts')).body;
    expect([told, shown.status, shown.reversed_cents]).to.deep.equal(['delayed', 'delayed', 100]);
  });

  it('fails for itself: its payout account has left the platform', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    await service.control('notifications', { hold: true });
    await service.control('account', { id: trader.connected, to: 'deauthorized' });

    expectRejected(await trader.submit(id), 'V2_PAYOUT_ACCOUNT_NOT_READY');

    expect(await trader.payoutIs(id, 'failed')).to.include({ failure_reason: 'v2_payout_account_not_ready' });
    expect((await trader.ask('GET', '/v2/connect/accounts')).body[0]).to.include({ payouts_enabled: false });
  });

  it('is not requested to an account that has left the platform', async () => {
    const trader = await earner(service, app, 300);

    await service.control('account', { id: trader.connected, to: 'deauthorized' });

    await eventually(async () => !(await trader.ask('GET', '/v2/connect/accounts')).body[0].payouts_enabled);
    expectRejected(
      await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 5_000 } }),
      'V2_PAYOUT_ACCOUNT_NOT_READY',
    );
  });
});
