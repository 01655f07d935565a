import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { caller } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('getNetvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  afterEach(() => service.miner.setPrice('BTCUSDC', 100_000));

  it('shows an order that was filled', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, market());

    const { status, body } = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);

    expect(status).to.equal(200);
    expect(body).to.deep.include({ order_uuid: placed.body.order_uuid, status: 'completed', lifecycle: 'filled' });
    expect(body).to.include({ execution_type: 'MARKET', trade_pair: 'BTCUSDC', order_type: 'LONG', message: null });
    expect(body.executed).to.deep.equal(placed.body.executed);
    expect(Date.parse(body.completed_at)).to.be.at.least(Date.parse(body.submitted_at));
  });

  it('says how long the network took; of a pending order the result says how long it has waited', async () => {
    const trader = await service.trader();
    const order = { ...market(), order_uuid: newIntentId() };
    const read = async () => (await trader.get(`${ORDERS}/${order.order_uuid}`)).body;
    await service.stopWorkers();
    const placed = await trader.post(ORDERS, order, { prefer: 'wait=0' });
    await service.db.query(sql.type(z.object({}))`
      update intents set created_at = created_at - interval '5 seconds' where id = ${String(placed.headers['intent-id'])}`);

    const [repeated, pending] = [await trader.post(ORDERS, order, { prefer: 'wait=0' }), await read()];
    await service.startWorker();
    const ended = await eventually(async () => [await read()].find(({ status }) => status === 'completed'));

    expect(pending).to.include({ status: 'pending', processing_time: null });
    expect(repeated.body.status).to.equal('pending');
    expect(repeated.body.processing_time).to.be.above(5);
    expect(Date.parse(ended.completed_at) - Date.parse(ended.submitted_at)).to.be.above(5_000);
    expect(ended.processing_time).to.be.within(0, 4);
  });

  it('shows nothing executed for an order that rests, or was cancelled unfilled', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    const path = `${ORDERS}/${placed.body.order_uuid}`;

    const resting = await trader.get(path);
    const cancelled = await trader.delete(`${path}?trade_pair=BTCUSDC`);
    const gone = await trader.get(path);

    expect(placed.body).to.include({ status: 'accepted', executed: null });
    expect(resting.body).to.include({ lifecycle: 'resting', executed: null });
    expect(cancelled.body).to.include({ status: 'accepted', executed: null });
    expect(gone.body).to.include({ lifecycle: 'cancelled', executed: null });
  });

  it('shows what was ordered, with its edits, and what is left of it', async () => {
    const trader = await service.trader();
    const terms = { leverage: undefined, value: 250, stop_loss: 80_000, take_profit: 120_000 };
    const placed = await trader.post(ORDERS, limit(terms));
    const path = `${ORDERS}/${placed.body.order_uuid}`;

    const resting = await trader.get(path);
    await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000, value: 300 });
    const edited = await trader.get(path);

    const ordered = { value: 250, leverage: null, quantity: null, limit_price: 90_000, stop_price: null };
    expect(resting.body).to.include({ ...ordered, stop_loss: 80_000, take_profit: 120_000, remaining: 250 });
    expect(edited.body).to.include({ value: 300, limit_price: 91_000, stop_loss: 80_000, remaining: 300 });
  });

  it('finds that a resting order was filled meanwhile, and its price', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    service.miner.setPrice('BTCUSDC', 89_000);

    const { body } = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);

    expect(body).to.include({ status: 'completed', lifecycle: 'filled', quantity: 0.01, remaining: 0 });
    expect(body.executed).to.include({ price: 89_000, quantity: 0.01 });
  });

  it('stores what it found', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    service.miner.setPrice('BTCUSDC', 89_000);
    await trader.get(`${ORDERS}/${placed.body.order_uuid}`);
    service.miner.faults.add({ kind: 'status_500', route: '/validator/', times: 1 });

    const { body } = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);
    service.miner.faults.clear();

    expect(body).to.include({ status: 'completed', lifecycle: 'filled' });
  });

  it('reports nothing about a resting order while the venue cannot be read', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' });

    const blind = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);
    service.miner.faults.clear();
    const again = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);

    expect(blind.body).to.include({ status: 'completed', lifecycle: null, remaining: null });
    expect(again.body).to.include({ status: 'completed', lifecycle: 'resting' });
  });

  it('finds an order by its uuid in upper or lower case', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, market());

    const { status, body } = await trader.get(`${ORDERS}/${placed.body.order_uuid.toUpperCase()}`);

    expect(status).to.equal(200);
    expect(body.order_uuid).to.equal(placed.body.order_uuid);
  });

  it('shows closing and protecting orders under their own uuids', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    const protection = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 90_000 });
    const close = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    const [protected_, closed] = await Promise.all(
      [protection, close].map(({ body }) => trader.get(`${ORDERS}/${body.order_uuid}`)),
    );

    expect(protected_?.body).to.include({ status: 'completed', execution_type: 'BRACKET', order_type: 'FLAT' });
    expect(closed?.body).to.include({ status: 'completed', execution_type: 'FLAT_ALL', order_type: 'FLAT' });
    expect(closed?.body.executed).to.include({ quantity: -0.01 });
  });

  it('finds no order under the id of a cancellation', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    const cancelled = await trader.delete(`${ORDERS}/${placed.body.order_uuid}?trade_pair=BTCUSDC`);

    const reply = await trader.get(`${ORDERS}/${cancelled.headers['intent-id']}`);

    expectProblem(reply, 'V1_ORDER_UNKNOWN');
  });

  it('finds no order that was never placed', async () => {
    const trader = await service.trader();

    const reply = await trader.get(`${ORDERS}/${newIntentId()}`);

    expectProblem(reply, 'V1_ORDER_UNKNOWN', { retryable: false });
    expect(reply.body.error).not.to.have.property('effect');
  });

  it('returns 404 for the order of another partner or of another trader', async () => {
    const [trader, other] = await Promise.all([service.trader(), service.trader()]);
    const sibling = await trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 5_000 });
    const placed = await trader.post(ORDERS, market());
    const path = `${ORDERS}/${placed.body.order_uuid}`;

    const replies = await Promise.all([
      other.get(path),
      other.get(path, { headers: { 'Trader-ID': trader.traderId } }),
      trader.get(path, { headers: { 'Trader-ID': String(sibling.body.subaccount.subaccount_id) } }),
    ]);

    for (const reply of replies) expectProblem(reply, 'V1_ORDER_UNKNOWN');
  });
});

describe('listNetvenueOrders', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('shows the orders of one trader, newest first, in pages and by state', async () => {
    const trader = await service.trader();
    const rejected = await trader.post(ORDERS, market({ leverage: 0.0404 }));
    const filled = await trader.post(ORDERS, market());
    const cancelled = await trader.post(ORDERS, limit());
    await trader.delete(`${ORDERS}/${cancelled.body.order_uuid}?trade_pair=BTCUSDC`);
    const resting = await trader.post(ORDERS, limit());
    const [r, c, f] = [resting, cancelled, filled].map(({ body }) => String(body.order_uuid));
    const listed = async (query: string) => {
      const { status, body } = await trader.get(`${ORDERS}${query}`);
      expect(status).to.equal(200);
      return body.map(({ order_uuid }: { order_uuid: string }) => order_uuid);
    };

    expect(rejected.status).to.equal(422);
    expect(await listed('?state=resting')).to.deep.equal([r]);
    expect(await listed('?state=open')).to.deep.equal([r]);
    expect(await listed('?state=filled')).to.deep.equal([f]);
    expect(await listed('?state=cancelled')).to.deep.equal([c]);
    const all = await listed('');
    expect(all.slice(0, 3)).to.deep.equal([r, c, f]);
    expect(all).to.have.length(4);
    expect(await listed('?state=failed')).to.deep.equal(all.slice(3));
    expect(await listed(`?limit=1&cursor=${c}`)).to.deep.equal([f]);
    expect((await trader.get(`${ORDERS}?state=resting&cursor=${newIntentId()}`)).status).to.equal(422);
    expect((await trader.get(`${ORDERS}?state=lost`)).status).to.equal(422);
  });

  it('is of a trader of this partner', async () => {
    const [trader, other] = [await service.trader(), await service.trader()];
    await trader.post(ORDERS, limit());

    const foreign = caller(service.url, other.key, { 'Trader-ID': trader.traderId });

    expect((await other.get(ORDERS)).body).to.deep.equal([]);
    expectProblem(await foreign.get(ORDERS), 'V1_TRADER_UNKNOWN');
    expect((await trader.get(ORDERS)).body).to.have.length(1);
  });
});
