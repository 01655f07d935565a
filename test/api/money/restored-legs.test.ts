import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { backUp, recover } from '../../support/restored.ts';

const nothing = z.object({});
const REASON = { json: { reason: 'the database was restored' } };
const LATER = { headers: { Prefer: 'respond-async' } };
const TABLES = ['intents', 'payouts', 'payout_steps', 'ledger_transactions', 'ledger_entries'];

describe('the second leg of a payout in a restored database', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  let operator: TestAdmin;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    app = await payingApp(service);
    operator = await service.admin();
  });
  after(() => service.stop());
  afterEach(async () => {
    service.processor.faults.clear();
    for (const table of TABLES)
      await service.db.query(sql.unsafe`drop table if exists ${sql.identifier([`backup_of_${table}`])}`);
    await service.db.query(sql.type(nothing)`delete from recoveries`);
  });

  const paidTo = ({ connected }: Earner) =>
    service.processor.ledger.entries().filter(({ kind, detail }) => kind === 'payout' && detail.account === connected);

  /** A payout whose first payout to the bank the processor has rejected. */
  async function failedAtTheBank(trader: Earner): Promise<string> {
    const id = await trader.request(50_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    return id;
  }

  /** The database is as before the second payout to the bank, which was made. */
  async function lostLeg(trader: Earner): Promise<string> {
    const id = await failedAtTheBank(trader);
    const { since, restore } = await backUp(service, TABLES);
    await trader.submit(id);
    await eventually(async () => paidTo(trader).length === 1);
    await service.stopWorkers();
    await restore();
    await recover(service, since);
    return id;
  }

  it('is found, and once the bank has returned it another one is sent', async () => {
    const trader = await earner(service, app, 500);
    const id = await lostLeg(trader);
    await service.startWorker();
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    await service.control('payout', { id: paidTo(trader)[0]?.detail.id, to: 'failed' });
    await trader.payoutIs(id, 'failed');

    await trader.submit(id);

    await eventually(async () => paidTo(trader).length === 2);
    await service.control('payout', { id: paidTo(trader)[1]?.detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
  });

  it('is found before its transfer is reversed: the bank has the money', async () => {
    const trader = await earner(service, app, 500);
    const id = await lostLeg(trader);
    await service.startWorker();

    expectRejected(await operator.ask('POST', `/v2/admin/payouts/${id}/reverse`, REASON), 'V2_PAYOUT_NOT_STRANDED');

    expect(service.processor.ledger.entries().filter(({ kind }) => kind === 'reversal')).to.deep.equal([]);
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    expect(paidTo(trader)).to.have.length(1);
  });

  it('is found by an operator who looks it up, although the intent that sent it is lost', async () => {
    const trader = await earner(service, app, 500);
    const id = await lostLeg(trader);
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await service.db.query(sql.type(nothing)`
      update kyc_cases set status = 'failed', verified_at = null where user_id = ${trader.userId}`); // nothing may be sent any more
    await service.startWorker();
    await eventually(() =>
      service.db.maybeOne(sql.type(nothing)`
        select from payout_steps s where s.payout_id = ${id} and s.step = 'payout' and s.state = 'unknown'`),
    );

    const { body } = await operator.ask('POST', `/v2/admin/payouts/${id}/resolve`, REASON);

    expect(body).to.include({ status: 'found', processor_id: paidTo(trader)[0]?.detail.id });
    expect(paidTo(trader)).to.have.length(1);
    await service.control('payout', { id: paidTo(trader)[0]?.detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
  });

  /** The bank has returned a payout that this database knew when it was restored. */
  async function returnedAfterwards(trader: Earner): Promise<string> {
    const { since } = await backUp(service, TABLES);
    const id = await trader.request(50_000);
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    await eventually(async () => paidTo(trader).length === 1);
    await service.stopWorkers();
    await recover(service, since);
    await service.startWorker();
    await service.control('payout', { id: paidTo(trader)[0]?.detail.id, to: 'failed' });
    await trader.payoutIs(id, 'failed');
    return id;
  }

  it('is sent again although an earlier one, which the bank has returned, names the same payout', async () => {
    const trader = await earner(service, app, 500);
    const id = await returnedAfterwards(trader);

    await trader.submit(id);

    await eventually(async () => paidTo(trader).length === 2);
    await service.control('payout', { id: paidTo(trader)[1]?.detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
  });

  it('may be reversed although an earlier one, which the bank has returned, names the same payout', async () => {
    const trader = await earner(service, app, 500);
    const id = await returnedAfterwards(trader);

    await operator.ask('POST', `/v2/admin/payouts/${id}/reverse`, REASON);

    expect(await trader.payoutIs(id, 'reversed')).to.include({ reversed_cents: 50_000 });
  });

  it('is sent after an operator has found that it was not, however old the backup is', async () => {
    const trader = await earner(service, app, 500);
    const id = await failedAtTheBank(trader);
    await service.stopWorkers();
    await recover(service, new Date(Date.now() - 48 * 60 * 60 * 1000).toISOString());
    await service.startWorker();
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await eventually(() =>
      service.db.maybeOne(sql.type(nothing)`
        select from payout_steps s where s.payout_id = ${id} and s.step = 'payout' and s.state = 'unknown'`),
    );
    const { body } = await operator.ask('POST', `/v2/admin/payouts/${id}/resolve`, REASON);
    expect(body).to.include({ status: 'absent' });

    await trader.submit(id);

    await eventually(async () => paidTo(trader).length === 1);
    expect(await trader.payoutIs(id, 'transferred')).to.include({ bank_amount_cents: 50_000 });
  });
});
