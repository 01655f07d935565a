import { expect } from 'chai';
import { sql } from 'slonik';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { workerSeen } from '../../support/operator.ts';
import { effectsOf, limit, market, SUBMIT } from '../../support/orders.ts';
import { until } from '../../support/processes.ts';
import { firing, NEVER, ONCE, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('the operator on call, of orders', function () {
  this.timeout(60_000);
  let service: TestService;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startService({ settings: { NETVENUE_IN_FLIGHT_MS: '60000' } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });
  afterEach(() => service?.miner.faults.clear());

  it('reads the venue’s status where the orders of more than one end badly, and is not woken for one of them', async () => {
    const [first, second, good] = [await service.trader(), await service.trader(), await service.trader()];
    const place = (trader: typeof first, leverage: number) => trader.post(ORDERS, market({ leverage }));
    const many = (trader: typeof first, leverage: number) =>
      Promise.all(Array.from({ length: 8 }, () => place(trader, leverage)));
    await place(good, 0.001);
    const quiet = await onCall.scrape();
    service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 8, text: 'Max drawdown reached' });
    await many(first, 0.001);
    await place(good, 0.001);
    const alone = await onCall.scrape();
    service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 8, text: 'Max drawdown reached' });
    await many(second, 0.001);
    const troubled = await onCall.scrape();

    await Promise.all([many(first, 0.001), many(second, 0.001), many(good, 0.001)]);
    const calm = await onCall.scrape();

    expect(await firing('VenueEndsBadly', { quiet, troubled: alone, calm }, { minutes: 3 })).to.deep.equal(NEVER);
    expect(await firing('VenueEndsBadly', { quiet, troubled, calm }, { minutes: 3 })).to.deep.equal(ONCE);
  });

  it('waits for a doubt that the venue will decide', async () => {
    const trader = await service.trader();
    const quiet = await onCall.scrape();
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
    service.miner.faults.add({ kind: 'status_500', route: 'GET ' });
    const reply = await trader.post(ORDERS, market(), { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    await until('the doubt', () =>
      service.db.maybeOneFirst(sql.unsafe`select id from intents where id = ${id} and state = 'in_doubt'`),
    );
    await service.db.query(
      sql.unsafe`update intents set sending_at = sending_at - interval '6 minutes' where id = ${id}`,
    );
    const troubled = await onCall.scrape();

    const seen = await onCall.psql<{ because: string }>(
      'select because from ops.intents_in_doubt where intent_id = $1',
      [id],
    );
    service.miner.faults.clear();
    const { state } = await trader.pollIntent(reply, 30_000);
    const calm = await onCall.scrape();

    expect(seen).to.have.length(1);
    expect(state).to.equal('succeeded');
    expect(effectsOf(service, trader)).to.deep.equal(['market']);
    expect(await firing('IntentsInDoubt', { quiet, troubled, calm }, { minutes: 3 })).to.deep.equal(ONCE);
  });
});

describe('the operator on call, of orders that no worker takes', function () {
  this.timeout(60_000);
  before(function () {
    if (!promtool) this.skip();
  });

  it('is woken before the first have expired for a quarter of a minute, and starts more workers', async () => {
    const service = await startService();
    const onCall = await openOnCall(service);
    const trader = await service.trader();
    await service.stopWorkers();
    await workerSeen({ query: onCall.asOwner }, -86_400);
    const quiet = await onCall.scrape();
    const replies = await Promise.all(
      [market(), limit()].map((order) => trader.post(ORDERS, order, { prefer: 'wait=0' })),
    );
    await service.db.query(sql.unsafe`
      update queue_jobs set run_at = run_at - interval '12 seconds' where task = 'network/place'`);
    const troubled = await onCall.scrape();
    await service.db.query(sql.unsafe`
      update intents set deadline_at = now() - interval '1 second' where kind = 'network/place'`);

    const alive = await onCall.psql('select * from ops.workers');
    await service.startWorker();
    const ended = await Promise.all(replies.map((reply) => trader.pollIntent(reply)));
    const calm = await onCall.scrape();
    await onCall.stop();
    await service.stop();

    expect(alive).not.to.be.empty;
    expect(ended.map(({ state, effect }) => [state, effect])).to.deep.equal(replies.map(() => ['expired', 'none']));
    expect(effectsOf(service, trader)).to.deep.equal([]);
    expect(await firing('TradingQueueLate', { quiet, troubled, calm }, { minutes: 2 })).to.deep.equal(ONCE);
  });
});
