import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { checkOut, type Money, startMoney, tier25k } from '../../support/money.ts';
import { manyUsers } from '../../support/money-crowd.ts';
import { market } from '../../support/orders.ts';

const nothing = z.object({});
const MANY = 160; // more than a worker has jobs at once

describe('orders while another upstream is silent', () => {
  let service: Money;
  beforeEach(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '0' } });
  });
  afterEach(() => service.stop());

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
});
