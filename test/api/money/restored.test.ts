import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { earner, payingApp } from '../../support/earning.ts';
import { checkOut, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { loseSince, recover } from '../../support/restored.ts';

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
  });
});
