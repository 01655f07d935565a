import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { earner, payingApp } from '../../support/earning.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';

const row = z.object({ id: z.string() });

describe('a task of money that an operator queues for another kind of work', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0' } });
  });
  after(() => service.stop());
  afterEach(() => service.processor.faults.clear());

  it('transfers nothing again: the transfer’s, for the payout to the bank that is in doubt', async () => {
    const trader = await earner(service, await payingApp(service), 300);
    const transfers = () => service.processor.ledger.entries().filter(({ kind }) => kind === 'transfer').length;
    service.processor.faults.add({ kind: 'status_500', route: 'POST /v1/payouts' });
    await trader.submit(await trader.request(10_000));
    const { id } = await eventually(() =>
      service.db.maybeOne(sql.type(row)`select id from intents where kind = 'payouts/pay' and state = 'in_doubt'`),
    );
    const before = transfers();

    await service.runTask('payouts/submit', { intent_id: id });

    expect([before, transfers()]).to.deep.equal([1, 1]);
  });

  it('closes no event: that of payments, for one about a payout', async () => {
    await service.db.query(sql.type(z.object({}))`
      insert into processor_events (id, type, said_at, fact, source)
      values ('evt_payout', 'payout.failed', now(), '{"about": "payout", "accountId": "acct_1", "payoutId": "po_1"}', 'listed')`);

    const threw = await service.runTask('payments/notified', { event_id: 'evt_payout' }).catch((error) => error);

    expect(threw).to.be.an('error');
    expect(
      await service.db.any(sql.type(row)`select id from processor_events where id = 'evt_payout' and acted_at is null`),
    ).to.have.length(1);
  });
});
