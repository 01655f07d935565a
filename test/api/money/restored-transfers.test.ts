import { expect } from 'chai';
import { sql } from 'slonik';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { backUp, recover } from '../../support/restored.ts';

const TABLES = ['intents', 'payouts', 'payout_steps', 'ledger_transactions', 'ledger_entries'];

describe('a payout of which a restored database has lost that it was transferred', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(async () => {
    for (const table of TABLES)
      await service.db.query(sql.unsafe`drop table if exists ${sql.identifier([`backup_of_${table}`])}`);
    await service.db.query(sql.unsafe`delete from recoveries`);
  });

  const made = (what: string, account: string) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === what && [detail.account, detail.destination].includes(account));

  /** The database is as before `act`, which had the payout transferred to this account and paid out from there. */
  async function loses(act: () => Promise<string>): Promise<string> {
    const { since, restore } = await backUp(service, TABLES);
    const account = await act();
    await eventually(async () => made('payout', account).length === 1);
    await service.stopWorkers();
    await restore();
    const stdout = await recover(service, since);
    expect(await recover(service, since), 'and once more').to.match(/transfer {2}tr_/);
    return stdout;
  }

  /** The bank pays what was sent to it before the restore, and nothing else was sent. */
  async function completes(trader: Earner, id: string, account: string): Promise<void> {
    await eventually(() =>
      service.db.maybeOne(sql.unsafe`
        select from payout_steps where payout_id = ${id} and step = 'payout' and state = 'sent'`),
    );
    expect([made('transfer', account).length, made('payout', account).length]).to.deep.equal([1, 1]);
    await service.control('payout', { id: made('payout', account)[0]?.detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
    expect(await trader.estimate()).to.equal(50_000);
    expect(await service.db.any(sql.unsafe`select from ops.lost_money where subject_id = ${id}`)).to.deep.equal([]);
  }

  it('takes its transfer up, and is neither transferred again nor cancelled', async () => {
    const trader = await earner(service, app, 1_000);
    const id = await trader.request(50_000);
    const stdout = await loses(async () => {
      await trader.submit(id);
      return trader.connected;
    });
    expect(stdout).to.contain(`payout  ${id}`);
    expect(await trader.estimate(), 'taken once').to.equal(50_000);
    expectRejected(await trader.ask('POST', `/v2/payouts/${id}/cancel`), 'V2_PAYOUT_NOT_PENDING');

    await service.startWorker();
    expect((await trader.submit(id)).status).to.equal(200);

    await completes(trader, id, trader.connected);
  });

  it('takes it up where it waited for the platform’s money, and was requested again after the backup', async () => {
    const trader = await earner(service, app, 1_000);
    const id = await trader.request(50_000);
    await service.control('settings', { available: 0 });
    await trader.ask('POST', `/v2/payouts/${id}/submit`, { headers: { Prefer: 'respond-async' } });
    await trader.payoutIs(id, 'delayed');
    await service.control('settings', { available: null });
    const isDue = () => service.db.query(sql.unsafe`update payouts set pay_after = now() where id = ${id}`);
    await loses(async () => {
      await isDue();
      await service.runTask('payouts/reconcile');
      return trader.connected;
    });
    await isDue();

    await service.startWorker();
    await service.runTask('payouts/reconcile');

    await completes(trader, id, trader.connected);
  });

  it('takes it up at the account that received it', async () => {
    const trader = await earner(service, app, 1_000);
    const id = await trader.request(50_000);
    let other = '';
    await loses(async () => {
      await trader.ask('DELETE', `/v2/connect/accounts/${trader.connected}`);
      const { body } = await trader.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
      other = body.processor_account_id;
      await service.control('account', { id: other });
      await eventually(async () => (await trader.ask('GET', '/v2/connect/accounts')).body[0].payouts_enabled);
      await trader.submit(id);
      return other;
    });

    await service.startWorker();

    await completes(trader, id, other);
    expect(made('transfer', trader.connected)).to.deep.equal([]);
  });
});
