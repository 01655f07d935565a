import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOn, exchangeOf, readWallets } from '../support/exchange.ts';
import { effectsOf, effectsUnder, limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';
import { faultOf } from '../support/stream-schemas.ts';

const NETVENUE = '/v1/orders/netvenue';
const EXVENUE = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' };
const ASYNC = { prefer: 'wait=0' };

describe('the names that callers give to their orders', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const inDatabase = (owner: string, name: string) =>
    service.db.oneFirst(sql.type(z.object({ id: z.string() }))`select order_id_of(${owner}, ${name}::uuid) as id`);

  it('are ids of the owner’s own in the database and here alike', async () => {
    const [owner, name] = ['ptn_one', randomUUID()];

    expect(await inDatabase(owner, name)).to.equal(orderIdOf(owner, name.toUpperCase()));
    expect(await inDatabase('ptn_two', name)).not.to.equal(orderIdOf(owner, name));
    expect(orderIdOf(owner, name)).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('one at the network may be taken by another partner first: the owner’s order is placed, under another id', async () => {
    const [owner, thief] = [await service.trader(), await service.trader()];
    const order_uuid = randomUUID();
    const taken = await thief.post(NETVENUE, market({ order_uuid, leverage: 0.2 }));

    const placed = await owner.post(NETVENUE, market({ order_uuid }));

    expect([taken.status, placed.status], JSON.stringify(placed.body)).to.deep.equal([200, 200]);
    expect([taken.body.order_uuid, placed.body.order_uuid]).to.deep.equal([order_uuid, order_uuid]);
    const ids = [taken, placed].map(({ headers }) => String(headers['intent-id']));
    expect(new Set([...ids, order_uuid]).size).to.equal(3);
    expect(effectsUnder(service, order_uuid)).to.deep.equal([]);
    for (const id of ids) expect(effectsUnder(service, id)).to.have.length(1);
    expect((await owner.get(`${NETVENUE}/${order_uuid}`)).body.executed.leverage).to.equal(0.1);
    expect((await thief.get(`${NETVENUE}/${order_uuid}`)).body.executed.leverage).to.equal(0.2);
  });

  it('one at the exchange, of an order and of a closing', async () => {
    const [owner, thief] = [await service.wallet(), await service.wallet()];
    const client_order_id = randomUUID();
    await thief.post(EXVENUE, { ...LIMIT, client_order_id, size: '0.02' });

    const placed = await owner.post(EXVENUE, { ...LIMIT, client_order_id });
    const [listed] = (await owner.get(EXVENUE)).body;
    const cancelled = await owner.delete(`${EXVENUE}/${client_order_id}`);

    expect(placed.body).to.include({ client_order_id, order_id: client_order_id, status: 'open' });
    expect(listed).to.include({ client_order_id, order_id: client_order_id, ex_order_id: placed.body.ex_order_id });
    expect(cancelled.body.results).to.have.length(1);
    expect(cancelled.body.results[0]).to.include({ order_id: client_order_id, status: 'cancelled' });
    expect(effectsOn(service, owner, 'cancelled')).to.have.length(1);
    expect((await thief.get(EXVENUE)).body).to.have.length(1);
    const open = await exchangeOf(service).openOrders(thief.wallet, '');
    expect(JSON.stringify(open)).not.to.include(client_order_id.replaceAll('-', ''));

    const closing = randomUUID();
    for (const wallet of [thief, owner]) {
      await wallet.post(EXVENUE, { pair: 'ETH', side: 'long', size: '0.1', order_type: 'market' });
      const closed = await wallet.post(`${EXVENUE}/close`, { pair: 'ETH', client_order_id: closing });
      expect(closed.body, JSON.stringify(closed.body)).to.include({ client_order_id: closing, status: 'filled' });
    }
    const history = (await owner.get('/v1/history/orders?pair=ETH')).body;
    expect(history.map(({ order_id }: { order_id: string }) => order_id)).to.have.length(2);
  });

  it('are in the events of an order at the exchange beside its number there, however it is named to cancel it', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();
    const [named, other] = [
      await trader.post(EXVENUE, { ...LIMIT, client_order_id }),
      await trader.post(EXVENUE, { ...LIMIT, size: '0.02' }),
    ];
    await trader.delete(`${EXVENUE}/${named.body.ex_order_id}`);
    await trader.delete(`${EXVENUE}/${other.body.order_id}`);
    await trader.post(EXVENUE, LIMIT);
    await trader.delete(EXVENUE);

    const events = (await trader.get('/v1/events?type=order.updated')).body as { data: Record<string, unknown> }[];

    for (const { data } of events.slice(0, 6))
      expect([data.order_uuid, data.pair], JSON.stringify(data)).to.deep.equal([data.order_id, 'BTC-USDC']);
    const said = events.map(({ data }) => [data.action, data.order_id, data.ex_order_id]);
    const [first, second] = [named, other].map(({ body }) => [body.order_id, body.ex_order_id]);
    expect(first).to.include(client_order_id);
    expect(said.slice(0, 6)).to.have.deep.members([
      ['place', ...(first ?? [])],
      ['place', ...(second ?? [])],
      ['cancel', ...(first ?? [])],
      ['lifecycle', ...(first ?? [])],
      ['cancel', ...(second ?? [])],
      ['lifecycle', ...(second ?? [])],
    ]);
    expect(said.filter(([action]) => action === 'cancel').at(-1)).to.deep.equal(['cancel', null, null]);
    for (const event of events) expect(faultOf('order.updated', event), JSON.stringify(event)).to.equal(null);
  });

  it('are those of the executions of an order and of a closing at the exchange, in events as in the history', async () => {
    const trader = await service.wallet();
    const names = [randomUUID(), randomUUID()];
    const [bought, closed] = [
      await trader.post(EXVENUE, {
        pair: 'ETH',
        side: 'long',
        size: '0.1',
        order_type: 'market',
        client_order_id: names[0],
      }),
      await trader.post(`${EXVENUE}/close`, { pair: 'ETH', client_order_id: names[1] }),
    ];
    await readWallets(service);

    const moved = (await trader.get('/v1/events?type=position.updated')).body as { data: { fills: object[] } }[];
    const history = (await trader.get('/v1/history/orders?pair=ETH')).body as object[];

    const fills = moved.flatMap(({ data }) => data.fills);
    expect(fills.map((fill) => 'order_id' in fill && fill.order_id)).to.deep.equal(names);
    const members = [
      'order_id',
      'client_order_id',
      'ex_order_id',
      'side',
      'size',
      'filled_size',
      'fill_price',
      'status',
    ];
    const shown = (order: object) => members.map((name) => Reflect.get(order, name));
    const inOrder = [bought.body, closed.body].map(shown);
    expect(history.map(shown).toReversed(), JSON.stringify(history)).to.deep.equal(inOrder);
  });

  it('are in the event of a closing beside what it executed', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();
    await trader.post(EXVENUE, { pair: 'ETH', side: 'long', size: '0.1', order_type: 'market' });
    const { body } = await trader.post(`${EXVENUE}/close`, { pair: 'ETH', client_order_id });

    const events = (await trader.get('/v1/events?type=order.updated')).body as { data: Record<string, unknown> }[];

    const event = events.at(-1);
    const { ex_order_id, status, size, filled_size, fill_price, limit_price } = body;
    expect(event?.data).to.deep.include({
      action: 'close',
      order_uuid: client_order_id,
      order_id: client_order_id,
      ex_order_id,
    });
    expect(event?.data.executed).to.deep.equal({ ex_order_id, status, size, filled_size, fill_price, limit_price });
    expect(faultOf('order.updated', event), JSON.stringify(event)).to.equal(null);
  });

  it('are what every answer, list, event and history says, and what every verb takes', async () => {
    const trader = await service.trader();
    const order_uuid = randomUUID();
    const upper = order_uuid.toUpperCase();
    const named = `${NETVENUE}/${upper}`;

    const placed = await trader.post(NETVENUE, limit({ order_uuid: upper }), ASYNC);
    expect(placed.body).to.include({ order_uuid, status: 'pending' });
    expect(placed.headers.location).to.equal(`${NETVENUE}/${order_uuid}`);
    const again = await trader.post(NETVENUE, limit({ order_uuid }));
    const intentId = String(placed.headers['intent-id']);
    expect([again.body.order_uuid, again.headers['intent-id']]).to.deep.equal([order_uuid, intentId]);
    const edited = await trader.post(`${named}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 });
    const asynchronous = await trader.post(`${named}/edit`, { trade_pair: 'BTCUSDC', limit_price: 92_000 }, ASYNC);
    const cancelled = await trader.delete(`${named}?trade_pair=BTCUSDC`);
    const bought = await trader.post(NETVENUE, market({ order_uuid: randomUUID() }));
    const listed = (await trader.get(NETVENUE)).body;
    const first = (await trader.get(`${NETVENUE}?limit=1`)).headers.link;
    const behind = (name: string) => trader.get(`${NETVENUE}?limit=1&cursor=${name}`);
    const history = (await trader.get('/v1/history/orders')).body;
    const events = (await trader.get('/v1/events')).body.filter(
      ({ type }: { type: string }) => type === 'order.updated',
    );

    expect([edited, asynchronous, cancelled].map(({ body }) => body.order_uuid)).to.deep.equal(
      Array.from({ length: 3 }, () => order_uuid),
    );
    expect(listed.map((order: { order_uuid: string }) => order.order_uuid)).to.deep.equal([
      bought.body.order_uuid,
      order_uuid,
    ]);
    expect((await trader.get(String(/<([^>]*)>/.exec(String(first))?.[1]))).body[0]).to.include({ order_uuid });
    for (const name of [bought.body.order_uuid, bought.body.order_uuid.toUpperCase(), bought.headers['intent-id']])
      expect((await behind(name)).body[0], name).to.include({ order_uuid });
    expect(history[0]).to.include({ order_id: bought.body.order_uuid, client_order_id: bought.body.order_uuid });
    expect(events.map(({ data }: { data: { order_uuid: string } }) => data.order_uuid)).to.deep.equal([
      ...Array.from({ length: 4 }, () => order_uuid),
      bought.body.order_uuid,
    ]);
    for (const id of [order_uuid, intentId]) {
      expect((await trader.get(`${NETVENUE}/${id}`)).body).to.include({ order_uuid, lifecycle: 'cancelled' });
      const intent = (await trader.get(`/v1/intents/${id}`)).body;
      expect([intent.intent_id, intent.result.order_uuid]).to.deep.equal([intentId, order_uuid]);
    }
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'edit', 'edit', 'cancel', 'market']);
  });

  it('an id that this service gave is no name of another order', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(NETVENUE, market());

    expectProblem(await trader.post(NETVENUE, market({ order_uuid: body.order_uuid })), 'V1_ORDER_UUID_REUSED');
  });

  it('a name that is the id of an order which a restored database has lost stands for it, whoever repeats it: it is looked for, never sent', async () => {
    const [trader, other] = [await service.trader(), await service.trader()];
    const order_uuid = newIntentId();
    await service.db.query(sql.unsafe`insert into lost_orders (id) values (${order_uuid})`);

    const reply = await trader.post(NETVENUE, market({ order_uuid }));
    const again = await trader.post(NETVENUE, market({ order_uuid }));
    const keyed = await trader.post(NETVENUE, market({ order_uuid }), { key: 'once' });
    const changed = await trader.post(NETVENUE, market({ order_uuid, leverage: 0.2 }));
    const others = await other.post(NETVENUE, market({ order_uuid }));

    for (const each of [reply, again, keyed]) {
      expect(each.headers['intent-id'], JSON.stringify(each.body)).to.equal(order_uuid);
      expectProblem(each, 'NOT_CARRIED_OUT');
    }
    for (const each of [changed, others]) expectProblem(each, 'V1_ORDER_UUID_REUSED');
    for (const each of [trader, other]) expect(effectsOf(service, each)).to.deep.equal([]);
  });
});
