import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { effectsOn, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { eventOf, followed, freezeReads, startStreamed, TOLD_WITHIN_MS } from '../support/streamed.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

const ORDERS = '/v1/orders/exvenue';
/** The sandbox fills half of this size at once. */
const HALF_FILLED = {
  pair: 'BTC',
  side: 'long',
  size: '0.0505',
  order_type: 'limit',
  price: 100_000,
  stop_loss: 90_000,
};
const LIMIT = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 };

describe('an exchange whose stream is followed', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed();
  });
  after(() => service.stop());
  afterEach(() => {
    const { exchange } = service;
    exchange.stream.alter(null);
    exchange.stream.open();
    exchange.setBehind(0);
    exchange.faults.clear();
    exchange.setMid('BTC', '100000');
    exchange.setMid('ETH', '3000');
  });

  /** A wallet whose half-filled bracket is followed. */
  async function withBracket(): Promise<{ trader: Trader; id: string }> {
    const trader = await service.wallet();
    const { body } = await trader.post(ORDERS, HALF_FILLED);
    const id = body.order_id;
    const isKnown = sql.type(z.object({}))`select from orders where id = ${id} and executed ->> 'status' = 'partial'`;
    await followed(service, trader);
    await until('what is filled is known', async () => (await service.db.exists(isKnown)) || null, 10_000);
    return { trader, id };
  }
  const endByVenue = ({ wallet }: Trader, id: string) =>
    expect(service.exchange.endOrder(wallet, cloidOf(id), 'marginCanceled')).to.equal(true);
  const placed = (trader: Trader) => effectsOn(service, trader, 'placed');
  /** The first order after the bracket and its stop. */
  const newExits = (trader: Trader) => until('new exits', async () => placed(trader)[2] ?? null, 20_000);
  const fillsOf = ({ wallet }: Trader) =>
    service.db.oneFirst(
      sql.type(z.object({ n: z.number() }))`select count(*) n from exchange_fills where ex_wallet = ${wallet}`,
    );
  const isOf = ({ wallet }: Trader, { channel, data }: { channel: string; data?: unknown }) =>
    channel === 'userFills' && (data as { user: string }).user === wallet; // as: so the venue says it
  const hasGap = ({ wallet }: Trader) =>
    service.db.exists(
      sql.type(z.object({}))`select from exchange_cursors where ex_wallet = ${wallet} and gap_at is not null`,
    );

  it('places the exits of a bracket that the venue ends again within 2 s, although every read is 25 s behind', async () => {
    const { trader, id } = await withBracket();
    await freezeReads(service, trader);
    const endedAt = Date.now();
    endByVenue(trader, id);

    const { at } = await newExits(trader);

    expect(at - endedAt).to.be.at.most(TOLD_WITHIN_MS);
    service.exchange.setBehind(0);
    await readWallets(service);
    expect(placed(trader)).to.have.length(3); // the order, its stop, and the new stop: once
    expect((await trader.get(`${ORDERS}/${id}`)).body).to.include({ status: 'cancelled' });
  });

  it('places them as soon while other orders wait for reads that are slow', async () => {
    const { trader, id } = await withBracket();
    await freezeReads(service, trader);
    const market = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'market', stop_loss: 2_000 };
    await Promise.all(Array.from({ length: 20 }, () => trader.post(ORDERS, market)));
    const before = placed(trader).length;
    service.exchange.faults.add({ kind: 'late', route: 'POST /info', delayMs: 500 });
    const endedAt = Date.now();
    endByVenue(trader, id);

    const { at } = await until('new exits', async () => placed(trader)[before] ?? null, 20_000);

    expect(at - endedAt).to.be.at.most(TOLD_WITHIN_MS); // a read of its own takes 500 ms
  });

  it('places none again for an order that its trader cancels: they end with it', async () => {
    const { trader, id } = await withBracket();
    await freezeReads(service, trader);

    await trader.delete(`${ORDERS}/${id}`, { prefer: 'wait=0' });
    const isCancelled = sql.type(z.object({}))`select from orders where id = ${id} and lifecycle = 'cancelled'`;
    await until('the order is cancelled', async () => (await service.db.exists(isCancelled)) || null, 10_000);
    service.exchange.setBehind(0);
    await readWallets(service);

    expect(placed(trader)).to.have.length(2);
  });

  it('reports a fill, a position and a triggered exit within 2 s, although every read is 25 s behind', async () => {
    const trader = await service.wallet();
    const { body } = await trader.post(ORDERS, { ...LIMIT, stop_loss: 2_000 });
    await followed(service, trader);
    await freezeReads(service, trader);

    service.exchange.setMid('ETH', '2500');
    const filled = await eventOf(
      trader,
      ({ type, data }) => type === 'order.updated' && data.order_uuid === body.order_id && data.lifecycle === 'filled',
    );
    const opened = await eventOf(trader, ({ type, data }) => type === 'position.updated' && data.change === 'opened');
    service.exchange.setMid('ETH', '1900');
    const triggered = await eventOf(trader, ({ type, data }) => type === 'exit.triggered' && data.exit === 'stop_loss');

    for (const { ms } of [filled, opened, triggered]) expect(ms).to.be.at.most(TOLD_WITHIN_MS);
    service.exchange.setBehind(0);
    await readWallets(service);
    expect(await fillsOf(trader)).to.equal(2);
  });

  it('records each execution once, whatever is repeated or comes in another order', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, LIMIT);
    await trader.post(ORDERS, { ...LIMIT, price: 2_400 });
    await followed(service, trader);
    await freezeReads(service, trader);
    const held: object[] = [];
    service.exchange.stream.alter((message) => {
      if (!isOf(trader, message)) return [message, message];
      held.unshift(message);
      return held.length < 2 ? [] : ([...held, ...held] as (typeof message)[]); // as: two of these messages
    });

    service.exchange.setMid('ETH', '2450');
    await until('the first execution is held back', async () => held.length > 0 || null, 5_000);
    service.exchange.setMid('ETH', '2350');

    await until('both are recorded', async () => (await fillsOf(trader)) === 2 || null, 5_000);
    const size = sql.type(z.object({ size: z.string() }))`
      select trim_scale(size)::text size from exchange_positions where ex_wallet = ${trader.wallet} and coin = 'ETH'`;
    expect(await service.db.oneFirst(size)).to.equal('0.2');
    service.exchange.setBehind(0);
    await readWallets(service);
    expect([await fillsOf(trader), await hasGap(trader)]).to.deep.equal([2, false]);
  });

  it('reads what a lost message would have reported', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, LIMIT);
    await trader.post(ORDERS, { ...LIMIT, price: 2_400 });
    await followed(service, trader);
    let lost = 0;
    service.exchange.stream.alter((message) => (isOf(trader, message) && lost++ === 0 ? [] : [message]));

    service.exchange.setMid('ETH', '2450');
    await until('a message is lost', async () => lost > 0 || null, 5_000);
    service.exchange.setMid('ETH', '2350');

    await until('both are recorded', async () => (await fillsOf(trader)) === 2 || null, 10_000);
    expect(await hasGap(trader)).to.equal(false);
  });

  it('polls while the stream is cut, and follows again', async () => {
    const { trader, id } = await withBracket();
    service.exchange.stream.cut();
    endByVenue(trader, id);

    await newExits(trader);
    service.exchange.stream.open();

    await followed(service, trader);
  });

  it('is left at once when another process has the place, or the database has forgotten who has it', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, LIMIT);
    await followed(service, trader);

    await service.db.query(sql.unsafe`
      update upstream_slots
      set intent_id = gen_random_uuid(), held_until = now() + interval '4 seconds'
      where upstream like 'stream:%'`);

    await until('nobody follows', async () => service.exchange.stream.users().length === 0 || null, 2_000);
    await followed(service, trader);
  });

  it('polls the eleventh wallet', async () => {
    const traders = await Promise.all(Array.from({ length: 11 }, () => service.wallet()));
    for (const trader of traders) await trader.post(ORDERS, LIMIT);
    const isFollowed = ({ wallet }: Trader) => service.exchange.stream.users().includes(wallet);
    await until('ten are followed', async () => service.exchange.stream.users().length === 10 || null, 10_000);

    service.exchange.setMid('ETH', '2450');
    await until(
      'all fills are recorded',
      async () => {
        await readWallets(service);
        return (await Promise.all(traders.map(fillsOf))).every((n) => n === 1) || null;
      },
      15_000,
    );

    expect(traders.filter(isFollowed).length).to.be.at.most(10);
  });
});
