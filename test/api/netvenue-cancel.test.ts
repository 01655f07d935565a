import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { effectsOf, limit, market, restingOf, SUBMIT } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const cancelPath = (uuid: string, pair = 'BTCUSDC') => `${ORDERS}/${uuid}?trade_pair=${pair}`;

describe('cancelNetvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' } });
  });
  after(() => service.stop());
  afterEach(() => service.miner.setPrice('BTCUSDC', 100_000));

  const resting = async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit());
    return { trader, uuid: String(body.order_uuid) };
  };

  it('cancels a resting order', async () => {
    const { trader, uuid } = await resting();

    const reply = await trader.delete(cancelPath(uuid));
    const status = await trader.get(`${ORDERS}/${uuid}`);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, status: 'accepted', order_uuid: uuid });
    expect(reply.headers['intent-id']).not.to.equal(uuid);
    expect(status.body).to.include({ status: 'completed', lifecycle: 'cancelled' });
    expect(await restingOf(service, trader)).to.deep.equal([]);
  });

  it('cancels once: the second time the order is no longer open', async () => {
    const { trader, uuid } = await resting();
    await trader.delete(cancelPath(uuid));

    const reply = await trader.delete(cancelPath(uuid));

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'cancel']);
  });

  it('rejects an order that was filled at once', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, market());

    const reply = await trader.delete(cancelPath(placed.body.order_uuid));

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('rejects an order that was filled meanwhile', async () => {
    const { trader, uuid } = await resting();
    service.miner.setPrice('BTCUSDC', 89_000);

    const reply = await trader.delete(cancelPath(uuid));

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('rejects an order that the venue rejected', async () => {
    const trader = await service.trader();
    const rejected = await trader.post(ORDERS, market({ leverage: 0.0404 }));

    const reply = await trader.delete(cancelPath(String(rejected.headers['intent-id'])));

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('is in doubt for as long as the miner responds to no look-up: the request may wait there', async () => {
    const { trader, uuid } = await resting();
    service.miner.faults.add({ kind: 'hang', route: SUBMIT });
    service.miner.faults.add({ kind: 'status_500', route: '/miner/api/order-status' });
    const reply = await trader.delete(cancelPath(uuid), { prefer: 'wait=0' });
    const intentId = String(reply.headers['intent-id']);
    await until('it was looked up, or has ended', async () => {
      const isReached = await service.db.exists(sql.type(z.object({}))`
        select from intents where id = ${intentId} and (reconcile_attempts >= 3 or settled_at is not null)`);
      return isReached || null;
    });

    const unknown = await trader.get(`/v1/intents/${intentId}`);
    service.miner.faults.clear();
    const intent = await trader.pollIntent(reply, 20_000);

    expect(unknown.body).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(intent).to.include({ state: 'failed', effect: 'none' });
  }).timeout(40_000);

  it('waits behind the order it cancels', async () => {
    const trader = await service.trader();
    const order_uuid = newIntentId();
    service.miner.faults.add({ kind: 'late', route: SUBMIT, times: 1, delayMs: 150 });
    const placed = await trader.post(ORDERS, limit({ order_uuid }), { prefer: 'wait=0' });

    const reply = await trader.delete(cancelPath(order_uuid));

    expect([placed.status, reply.status]).to.deep.equal([202, 200]);
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'cancel']);
  });

  it('requires the trade pair, and the right one', async () => {
    const { trader, uuid } = await resting();

    const without = await trader.delete(`${ORDERS}/${uuid}`);
    const wrong = await trader.delete(cancelPath(uuid, 'ETHUSDC'));

    expectProblem(without, 'INVALID_REQUEST', { effect: 'none' });
    expect(without.body.error.fields[0].loc).to.deep.equal(['query', 'trade_pair']);
    expectProblem(wrong, 'V1_TRADE_PAIR_MISMATCH', { effect: 'none' });
    expect(effectsOf(service, trader)).to.deep.equal(['limit']);
  });

  it('finds only orders of this trader of this partner', async () => {
    const { trader, uuid } = await resting();
    const sibling = await trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 5_000 });
    const other = await service.trader();

    const unknown = await trader.delete(cancelPath(newIntentId()));
    const foreign = await other.delete(cancelPath(uuid));
    const siblings = await trader.delete(cancelPath(uuid), {
      headers: { 'Trader-ID': String(sibling.body.subaccount.subaccount_id) },
    });
    const outsider = await other.delete(cancelPath(uuid), { headers: { 'Trader-ID': trader.traderId } });

    for (const reply of [unknown, foreign, siblings]) expectProblem(reply, 'V1_ORDER_UNKNOWN', { effect: 'none' });
    expectProblem(outsider, 'V1_TRADER_UNKNOWN', { effect: 'none' });
    expect(await restingOf(service, trader)).to.have.length(1);
  });

  it('is reconciled when its response was lost', async () => {
    const { trader, uuid } = await resting();
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

    const reply = await trader.delete(cancelPath(uuid), { prefer: 'wait=0' });
    const intent = await trader.poll(reply);
    const status = await trader.get(`${ORDERS}/${uuid}`);

    expect(reply.status).to.equal(202);
    expect(reply.body).to.include({ success: true, status: 'pending', order_uuid: uuid });
    expect(intent).to.include({ kind: 'network/cancel', state: 'succeeded', effect: 'done' });
    expect(status.body).to.include({ lifecycle: 'cancelled' });
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'cancel']);
  });

  it('has no effect when it never arrived', async () => {
    const { trader, uuid } = await resting();
    service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

    const reply = await trader.delete(cancelPath(uuid));
    const status = await trader.get(`${ORDERS}/${uuid}`);

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
    expect(status.body).to.include({ lifecycle: 'resting' });
  });
});

describe('cancelNetvenueOrder of an order in doubt', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '100', NETVENUE_IN_FLIGHT_MS: '60000' } });
  });
  after(() => service.stop());

  const inDoubt = async () => {
    const trader = await service.trader();
    const order_uuid = newIntentId();
    service.miner.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    await trader.post(ORDERS, limit({ order_uuid }), { prefer: 'wait=0' });
    for (;;) {
      const { body } = await trader.get(`${ORDERS}/${order_uuid}`);
      if (body.status === 'unknown') return { trader, order_uuid };
    }
  };

  it('says that the order may still come to rest, not that it is no longer open', async () => {
    const { trader, order_uuid } = await inDoubt();

    const cancelled = await trader.delete(cancelPath(order_uuid));
    const edited = await trader.post(`${ORDERS}/${order_uuid}/edit`, { trade_pair: 'BTCUSDC', limit_price: 89_000 });

    for (const reply of [cancelled, edited]) {
      expectProblem(reply, 'V1_ORDER_IN_DOUBT', { effect: 'none', retryable: true });
    }
    expect(effectsOf(service, trader)).to.deep.equal([]);
  });
});
