import { expect } from 'chai';
import { processor as openProcessor } from '../../../src/adapters/processor/index.ts';
import { proveLedger } from '../../../src/capabilities/ledger/prove.ts';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import { fresh } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, PROCESSOR, startMoney, tier25k } from '../../support/money.ts';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { firing, ONCE, promtool } from '../../support/rules.ts';

describe('the operator on call, of money', function () {
  this.timeout(60_000);
  let service: Money;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', DUAL_CONTROL_CENTS: '1000000' } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });

  const transfers = ({ connected }: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'transfer' && detail.destination === connected);

  it('tops up the balance at the processor, and payouts go on', async () => {
    const trader = await earner(service, await payingApp(service), 300);
    const quiet = await onCall.scrape();
    const id = await trader.request(10_000);
    await service.control('settings', { available: 0 });
    await trader.submit(id);
    await trader.payoutIs(id, 'delayed');
    await onCall.asOwner(`update payouts set delayed_since = delayed_since - interval '6 minutes' where id = $1`, [id]);
    const troubled = await onCall.scrape();

    const listed = await onCall.psql<{ payout_id: string }>('select payout_id from ops.delayed_payouts');
    await service.control('settings', { available: null });
    await onCall.asOwner('update payouts set pay_after = now() where id = $1', [id]); // the time that it waits
    await service.runTask('payouts/reconcile');
    await trader.payoutIs(id, 'transferred');
    const calm = await onCall.scrape();

    expect(listed).to.deep.equal([{ payout_id: id }]);
    expect(transfers(trader)).to.have.length(1);
    expect(await firing('PayoutsDelayed', { quiet, troubled, calm }, { minutes: 20 })).to.deep.equal(ONCE);
  });

  it('starts a worker that trades, and the reports of the processor are applied', async () => {
    const user = await service.user(service.tenant);
    const quiet = await onCall.scrape();
    const { payment_id, processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    await service.stopWorkers();
    await service.control('payment', { id, to: 'succeeded' });
    await eventually(
      async () => (await onCall.asOwner('select from processor_events where acted_at is null')).length > 0,
    );
    await onCall.asOwner(`update processor_events set received_at = received_at - interval '11 minutes'`);
    const troubled = await onCall.scrape();

    await service.startWorker();
    await eventually(async () => (await user.ask('GET', `/v2/payments/${payment_id}`)).body.status === 'succeeded');
    await eventually(
      async () => (await onCall.asOwner('select from processor_events where acted_at is null')).length === 0,
    );
    const calm = await onCall.scrape();

    expect(await firing('EventsUnapplied', { quiet, troubled, calm }, { minutes: 5 })).to.deep.equal(ONCE);
  });

  it('approves what another operator asked for', async () => {
    const [one, two] = [await service.admin(), await service.admin()];
    const quiet = await onCall.scrape();
    const ask = () => one.ask('POST', '/v2/admin/partners', { json: { name: fresh('Partner') } });
    const asked = await ask();
    const troubled = await onCall.scrape();

    const [open] = (await two.ask('GET', '/v2/admin/approvals?open=true')).body;
    const decided = await two.ask('POST', `/v2/admin/approvals/${open.approval_id}/approve`, {
      json: { reason: 'called' },
    });
    const calm = await onCall.scrape();

    expect([asked.status, decided.status]).to.deep.equal([202, 200]);
    expect(await firing('ApprovalsWait', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('releases the payer of a registration that was lost with a backup', async () => {
    const payer = `0x${'a'.repeat(40)}`;
    const hash = `0x${'1'.repeat(64)}`;
    const quiet = await onCall.scrape();
    await onCall.asOwner(
      'insert into lost_registrations (tx_hash, payer, payee, units, found_at) values ($1, $2, $2, 1, now())',
      [hash, payer],
    );
    const troubled = await onCall.scrape();

    const listed = await onCall.psql<{ tx_hash: string }>(
      'select tx_hash from ops.lost_registrations where released_at is null',
    );
    const release = `select ops.release_registration($1, 'ada', 'it was for their first wallet') as verdict`;
    const released = await onCall.psql<{ verdict: string }>(release, [listed[0]?.tx_hash]);
    const calm = await onCall.scrape();

    expect(released).to.deep.equal([{ verdict: 'done' }]);
    expect(await firing('RegistrationsLost', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('does what a difference of the ledger needs, and proves it', async () => {
    const user = await service.user(service.tenant);
    const { processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
    const { db } = service;
    const processor = openProcessor({ url: service.processor.url, ...PROCESSOR });
    const deps = { db, processor, log: { error: () => {} }, stopping: new AbortController().signal };
    const prove = () => proveLedger({}, deps, { minutes: -1 }); // also what moved just now
    await prove();
    const quiet = await onCall.scrape();
    await service.control('notifications', { hold: true });
    await service.control('payment', { id, to: 'refunded', amount: 700 });
    await prove();
    const differing = await onCall.psql<{ safe_action: string }>('select safe_action from ops.ledger_differences');
    const troubled = await onCall.scrape();

    await service.control('notifications', { hold: false });
    await service.runTask('payments/reconcile');
    await eventually(async () => {
      await prove();
      return (await onCall.psql('select from ops.ledger_differences')).length === 0;
    });
    const calm = await onCall.scrape();

    expect(differing[0]?.safe_action).to.match(/refund|report|processor/);
    expect(calm.value('tps_ledger_unproven_seconds')).to.be.within(0, 60);
    expect(await firing('LedgerDiffers', { quiet, troubled, calm }, { minutes: 5 })).to.deep.equal(ONCE);
  });
});
