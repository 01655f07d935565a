import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { manyUsers } from '../../support/money-crowd.ts';
import { market } from '../../support/orders.ts';

const nothing = z.object({});
const MANY = 160; // more than a worker has jobs at once
const BUY = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

describe('orders while another upstream is silent', () => {
  let service: Money;
  beforeEach(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '0', LIFECYCLE_SWEEP_MS: '0' } });
  });
  afterEach(() => service.stop());

  /** Accounts of many users, as many subaccounts at the network. */
  async function manyAccounts(): Promise<void> {
    await service.buyer.ask('POST', '/v2/payments/free', {
      json: { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 },
    });
    await service.db.query(sql.type(nothing)`
      insert into subaccounts
      select (jsonb_populate_record(s, jsonb_build_object('synthetic_hotkey', s.synthetic_hotkey || n, 'subaccount_id', s.subaccount_id * 1000 + n,
        'intent_id', gen_random_uuid()))).*
      from subaccounts s
      cross join generate_series(1, ${MANY}) n`);
    await manyUsers(service, MANY);
    await service.db.query(sql.type(nothing)`
      insert into prop_accounts
      select (jsonb_populate_record(a, jsonb_build_object('id', a.id || '_' || u.n, 'user_id', u.id, 'synthetic_hotkey', a.synthetic_hotkey || u.n,
        'intent_id', gen_random_uuid(), 'sync_after', now()))).*
      from prop_accounts a
      join (select id, row_number() over () as n from users) u on u.n <= ${MANY} and u.id <> a.user_id`);
  }

  /** Places orders one after another. The longest time until one was executed, in milliseconds. */
  async function longestOf(count: number, place: () => Promise<{ status: number }>): Promise<number> {
    let longest = 0;
    for (let n = 0; n < count; n += 1) {
      const startedAt = performance.now();
      const { status } = await place();
      expect(status).to.equal(200);
      longest = Math.max(longest, performance.now() - startedAt);
      await sleep(500);
    }
    return longest;
  }

  it('wait for no readings of open payments', async function () {
    this.timeout(60_000);
    const trader = await service.trader();
    const { payment_id } = await checkOut(service.buyer.ask);
    await service.db.query(sql.type(nothing)`
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id,
        processor_payment_intent_id, status, created_at)
      select p.id || '_' || n, p.owner, p.user_id, p.tier_id, p.market, p.asset_class, p.account_size, p.amount_cents, p.currency,
        gen_random_uuid(), p.processor_payment_intent_id || '_' || n, p.status, now() - interval '1 hour'
      from payments p
      cross join generate_series(1, ${MANY}) n
      where p.id = ${payment_id}`);
    service.processor.faults.add({ kind: 'hang' });
    const swept = service.runTask('payments/reconcile');
    await sleep(1_500);

    expect(await longestOf(5, () => trader.post('/v1/orders/netvenue', market({ leverage: 0.01 })))).to.be.below(3_000);
    await swept;
  });

  it('wait for no look-ups of checkouts in doubt', async function () {
    this.timeout(60_000);
    const trader = await service.trader();
    const users = await manyUsers(service, MANY);
    service.processor.faults.add({ kind: 'hang' });
    await Promise.all(
      users.map(({ ask }) => ask('POST', '/v2/payments/checkout', { json: tier25k, headers: { Prefer: 'wait=0' } })),
    );

    expect(await longestOf(20, () => trader.post('/v1/orders/netvenue', market({ leverage: 0.01 })))).to.be.below(
      3_000,
    );
  });

  it('wait for no reading of accounts at the network', async function () {
    this.timeout(60_000);
    const wallet = await service.wallet();
    await wallet.post('/v1/orders/exvenue', BUY);
    await manyAccounts();
    service.miner.faults.add({ kind: 'hang' });
    await service.runTask('accounts/sweep');
    await sleep(500);

    expect(await longestOf(10, () => wallet.post('/v1/orders/exvenue', BUY))).to.be.below(3_000);
  });

  it('do not wait behind many checkouts at a slow processor', async function () {
    this.timeout(120_000);
    const trader = await service.trader();
    const users = await manyUsers(service, 3 * MANY);
    await service.stopWorkers(); // until all are there
    service.processor.faults.add({ kind: 'late', delayMs: 900 });
    await Promise.all(
      users.map(({ ask }) => ask('POST', '/v2/payments/checkout', { json: tier25k, headers: { Prefer: 'wait=0' } })),
    );
    await service.startWorker();

    expect((await trader.post('/v1/orders/netvenue', market({ leverage: 0.01 }))).status).to.equal(200);
    const left = await service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count from intents where kind = 'payments/checkout' and settled_at is null`);
    expect(left, 'checkouts that still waited').to.be.above(MANY);
  });

  it('do not wait behind many account creations at a slow network', async function () {
    this.timeout(60_000);
    const wallet = await service.wallet();
    await wallet.post('/v1/orders/exvenue', BUY);
    await manyAccounts();
    service.miner.faults.add({ kind: 'late', delayMs: 900 });
    await service.db.query(sql.type(nothing)`
      select graphile_worker.add_job('accounts/sync', json_build_object('prop_account_id', a.id), job_key => 'sync ' || a.id || n)::text
      from prop_accounts a
      cross join generate_series(1, 3) n`);
    await sleep(500);

    expect(await longestOf(3, () => wallet.post('/v1/orders/exvenue', BUY))).to.be.below(3_000);
  });

  for (const [what, fault] of [
    ['silent', { kind: 'hang' }],
    ['slow', { kind: 'late', delayMs: 900 }],
  ] as const)
    it(`and deliveries wait for no watched accounts of a network that is ${what}`, async function () {
      this.timeout(60_000);
      await manyAccounts();
      service.miner.faults.add(fault);
      await service.db.query(sql.type(nothing)`
      select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', a.id), job_key => 'watch ' || a.id || n)::text
      from prop_accounts a
      cross join generate_series(1, 3) n`);
      await sleep(1_500);
      const place = async () => {
        await service.db.query(
          sql.type(nothing)`select graphile_worker.add_job('housekeeping/figures', job_key => 'a test')::text`,
        );
        await eventually(
          async () =>
            !(await service.db.exists(sql.type(nothing)`select from graphile_worker.jobs where key = 'a test'`)),
          20_000,
        );
        return { status: 200 };
      };

      expect(await longestOf(5, place)).to.be.below(2_000);
    });
});
