import { expect } from 'chai';
import { sql } from 'slonik';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { effectsOf, limit, market } from '../support/orders.ts';
import { until } from '../support/processes.ts';

type Trader = Awaited<ReturnType<Identity['trader']>>;

describe('a pause', function () {
  this.timeout(60_000);
  let service: Identity;
  let operator: TestAdmin;
  before(async () => {
    service = await startIdentity({ ORDER_DEADLINE_MS: '20000' });
    operator = await service.admin();
  });
  after(() => service.stop());

  const pause = (subject: string, more = {}) =>
    operator.ask('POST', '/v2/admin/pauses', { json: { subject, reason: 'wrong prices', ...more } });
  const end = (subject: string) =>
    operator.ask('POST', `/v2/admin/pauses/${subject}/end`, { json: { reason: 'they are right again' } });
  const place = (trader: Trader, body = market()) => trader.post('/v1/orders/netvenue', body, { prefer: 'wait=0' });
  const waiting = async (count: number) =>
    until(
      `${count} waiting`,
      async () => (await operator.ask('GET', '/v2/admin/pauses')).body.pauses[0]?.waiting === count || null,
      10_000,
    );
  const ended = (trader: Trader, id: unknown) =>
    until(
      'the end',
      async () => {
        const { body } = await trader.get(`/v1/orders/netvenue/${id}`);
        return body.status === 'pending' ? null : body;
      },
      20_000,
    );

  it('of an upstream holds what was not sent, says so, and lets it go on at once when it ends', async () => {
    const trader = await service.trader();
    const paused = await pause('netvenue');
    const { body: order } = await place(trader);
    await waiting(1);
    const [open] = (await operator.ask('GET', `/v2/admin/intents?state=queued`)).body;
    const story = await until(
      'a worker that has asked for the pause', // what a worker has not taken yet counts as waiting too
      async () => {
        const reply = await operator.ask('GET', `/v2/admin/intents/${open.intent_id}`);
        return reply.body.waits_for?.reason === 'running' ? null : reply;
      },
      10_000,
    );
    const effects = effectsOf(service, trader);
    const over = await end('netvenue');
    const done = await ended(trader, order.order_uuid);

    expect(paused.body.pauses).to.have.length(1);
    expect(paused.body.pauses[0]).to.deep.include({
      subject: 'netvenue',
      name: null,
      holds_exits: false,
      reason: 'wrong prices',
      paused_by: `admin:${operator.adminId}`,
    });
    expect(story.body.waits_for).to.deep.include({ reason: 'stopped' });
    expect(effects).to.deep.equal([]);
    expect(over.body).to.deep.equal({ queued: 1 });
    expect(done.status).to.equal('completed');
    expect(effectsOf(service, trader)).to.have.length(1);
    const audit = (await operator.ask('GET', '/v2/admin/audit?subject=netvenue')).body;
    expect(audit.map(({ action }: { action: string }) => action)).to.deep.equal(['end_pause', 'pause']);
  });

  it('lets what reduces a risk go on, unless it holds that too', async () => {
    const trader = await service.trader();
    await place(trader).then(({ body }) => ended(trader, body.order_uuid));
    const rests = await trader.post('/v1/orders/netvenue', limit());
    await pause('netvenue');
    const cancelled = await trader.delete(`/v1/orders/netvenue/${rests.body.order_uuid}?trade_pair=BTCUSDC`);
    await pause('netvenue', { holds_exits: true });
    const close = await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' }, { prefer: 'wait=1' });
    await end('netvenue');

    expect(cancelled.status).to.equal(200);
    expect(close.status).to.equal(202);
    await until('the close', async () => effectsOf(service, trader).length === 4 || null, 10_000);
  });

  it('lets a close go on at once that comes after entries of its pair, which expire unsent', async () => {
    const trader = await service.trader();
    await place(trader).then(({ body }) => ended(trader, body.order_uuid));
    await pause('netvenue');
    const entries = [await place(trader), await place(trader, { ...market(), order_type: 'SHORT' })];
    await waiting(2);
    const close = await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' }, { prefer: 'wait=8' });
    await end('netvenue');

    expect(close.status, JSON.stringify(close.body)).to.equal(200);
    for (const { body } of entries) expect((await ended(trader, body.order_uuid)).status).to.equal('failed');
    expect(effectsOf(service, trader)).to.have.length(2);
  });

  it('lets a cancellation go on at once of a wallet that has entries of another pair waiting', async () => {
    const trader = await service.wallet();
    const order = { pair: 'ETH', side: 'long', size: 1, order_type: 'limit', price: 2500 };
    const rests = await trader.post('/v1/orders/exvenue', order);
    await pause('exvenue');
    const entry = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    await trader.post('/v1/orders/exvenue', entry, { prefer: 'wait=1' });
    const cancelled = await trader.delete(`/v1/orders/exvenue/${rests.body.ex_order_id}`, { prefer: 'wait=8' });
    await end('exvenue');

    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
  });

  it('lets an order at the exchange go on that can only reduce, like the close of a part', async () => {
    const trader = await service.wallet();
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    await trader.post('/v1/orders/exvenue', order);
    await pause('exvenue');
    const opened = await trader.post('/v1/orders/exvenue', order, { prefer: 'wait=1' });
    const reducing = { ...order, side: 'short', reduce_only: true };
    const reduced = await trader.post('/v1/orders/exvenue', reducing, { prefer: 'wait=10' });
    await end('exvenue');

    expect([opened.status, reduced.status], JSON.stringify(reduced.body)).to.deep.equal([202, 200]);
  });

  it('that is replaced by a narrower one lets what only the first one held up go on at once', async () => {
    const trader = await service.trader();
    await place(trader).then(({ body }) => ended(trader, body.order_uuid));
    await pause('netvenue', { holds_exits: true });
    const close = await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' }, { prefer: 'wait=1' });
    await pause('netvenue');

    expect(close.status).to.equal(202);
    await until('the close', async () => effectsOf(service, trader).length === 2 || null, 5_000);
    await end('netvenue');
  });

  it('of a partner holds its writes and nobody else’s', async () => {
    const [held, other] = [await service.trader(), await service.trader()];
    const paused = await pause(held.owner);
    const { body: waits } = await place(held);
    const goes = await other.post('/v1/orders/netvenue', market());
    await waiting(1);
    await end(held.owner);

    expect(paused.body.pauses[0].name).to.equal('Test partner');
    expect(goes.status).to.equal(200);
    expect((await ended(held, waits.order_uuid)).status).to.equal('completed');
  });

  it('longer than the deadline of an order lets it expire unsent', async () => {
    const trader = await service.trader();
    await pause('netvenue');
    const { body } = await place(trader);
    await waiting(1);
    await service.db.query(sql.unsafe`update intents set deadline_at = now() where id = ${body.order_uuid}`);
    await end('netvenue');
    const { status } = await ended(trader, body.order_uuid);

    expect(status).to.equal('failed');
    expect(effectsOf(service, trader)).to.deep.equal([]);
  });

  it('needs an upstream, partner or app that there is, and can be ended only while it lasts', async () => {
    const unknown = await pause('venue');
    const over = await end('netvenue');

    expect([unknown.status, unknown.body.error.code]).to.deep.equal([404, 'V2_PAUSE_UNKNOWN']);
    expect([over.status, over.body.error.code]).to.deep.equal([404, 'V2_PAUSE_UNKNOWN']);
  });
});
