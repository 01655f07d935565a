import { expect } from 'chai';
import type { Caller, Reply } from '../../support/caller.ts';
import { accountIn, eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { effectsOf, market, SUBMIT } from '../../support/orders.ts';
import { until } from '../../support/processes.ts';
import { firing, ONCE, promtool } from '../../support/rules.ts';
import { startService } from '../../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('the operator on call, of what the network did', function () {
  this.timeout(60_000);
  let service: Money;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startMoney({ upstream: { style: '2026', pauseMs: 100, processingMs: 10 } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });
  afterEach(() => service?.miner.faults.clear());

  it('has the entity corrected that gets no more subaccounts, and provisions again', async () => {
    const quiet = await onCall.scrape();
    service.miner.faults.add({ kind: 'reject', route: 'create-' });
    const user = await service.user(service.tenant);
    await user.ask('POST', '/v2/payments/free', { json: tierDemo });
    const account = await accountIn(user.ask, 'subaccount_failed');
    const troubled = await onCall.scrape();

    const [failed] = await onCall.psql<{ prop_account_id: string }>('select prop_account_id from ops.failed_accounts');
    const [line] = service.log.lines.filter(({ alert }) => alert === 'network_rejects_subaccounts');
    service.miner.faults.clear();
    await onCall.psql(`select ops.provision_account($1, 'ada', 'the collateral was raised')`, [
      failed?.prop_account_id,
    ]);
    await accountIn(user.ask, 'evaluation');
    const calm = await onCall.scrape();

    expect(failed?.prop_account_id).to.equal(account.id);
    expect(line?.reason).to.equal('insufficient_collateral');
    const scrapes = { quiet, troubled, calm };
    expect(await firing('AccountsFail', scrapes, { minutes: 10 })).to.deep.equal(ONCE);
    expect(await firing('SubaccountsRejected', scrapes, { minutes: 10, after: 75 })).to.deep.equal(ONCE);
  });

  it('tells the owner of an order that was filled twice', async () => {
    const trader = await service.trader();
    const quiet = await onCall.scrape();
    service.miner.loseAcknowledgements(1);
    const { body } = await trader.post(ORDERS, market());
    const id = await until(
      'the alert',
      () => service.log.lines.find(({ alert }) => alert === 'order_filled_again')?.intent_id ?? null,
    );
    const troubled = await onCall.scrape();

    const story = await onCall.psql('select * from ops.history($1)', [id]);
    const calm = await onCall.scrape();

    expect(effectsOf(service, trader)).to.deep.equal(['market', 'market']);
    expect(body.executed).to.include({ quantity: 0.02 });
    expect(story).not.to.be.empty;
    const shown = { quiet, troubled, calm };
    expect(await firing('OrderFilledAgain', shown, { minutes: 10, after: 75 })).to.deep.equal(ONCE);
  });

  it('waits until the capacity is proven that requests in doubt hold', async () => {
    const scarce = await startService({
      upstream: { style: '2026' },
      settings: {
        NETVENUE_MINER_THREADS: '2',
        NETVENUE_EXIT_SLOTS: '0',
        NETVENUE_PATIENCE_MS: '500',
        NETVENUE_IN_FLIGHT_MS: '10000',
        ORDER_DEADLINE_MS: '120000',
      },
    });
    const narrow = await openOnCall(scarce);
    const traders = [await scarce.trader(), await scarce.trader(), await scarce.trader()];
    const quiet = await narrow.scrape();
    scarce.miner.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    scarce.miner.faults.add({ kind: 'hang', route: 'GET ' });
    const sent: { trader: Caller; reply: Reply }[] = [];
    for (const trader of traders)
      sent.push({ trader, reply: await trader.post(ORDERS, market(), { prefer: 'wait=0' }) });
    const troubled = await eventually(async () => {
      const shown = await narrow.scrape();
      return shown.value('tps_intents_waiting', { reason: 'doubts' }) ? shown : null;
    });

    const waits = await narrow.psql<{ until: Date | null }>(`select until from ops.waits where reason = 'doubts'`);
    scarce.miner.faults.clear();
    const ended = await Promise.all(sent.map(({ trader, reply }) => trader.pollIntent(reply, 50_000)));
    const calm = await narrow.scrape();
    const effects = traders.map((trader) => effectsOf(scarce, trader));
    await narrow.stop();
    await scarce.stop();

    expect(waits.map(({ until: at }) => at instanceof Date))
      .to.include(true)
      .and.not.include(false);
    expect(ended.map(({ state, effect }) => [state, effect])[2]).to.deep.equal(['succeeded', 'done']);
    for (const [n, { effect }] of ended.entries()) expect(effects[n]).to.have.length(effect === 'done' ? 1 : 0);
    expect(await firing('DoubtsHoldCapacity', { quiet, troubled, calm }, { minutes: 3 })).to.deep.equal(ONCE);
  });
});
