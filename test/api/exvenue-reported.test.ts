import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BRACKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market', stop_loss: 90_000 };
const NEWER = 250;

type EventBody = { type: string; data: { exit?: string; cause?: string; change?: string } };

type Moved = { change: string; previous_size: string; size: string; fees: string; fills: { trade_id: string }[] };

describe('the events of a wallet', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('include its first position, also if it was read before', async () => {
    const trader = await service.wallet();
    await readWallets(service);
    await trader.post(ORDERS, { ...BRACKET, stop_loss: undefined });

    await readWallets(service);

    const events = (await trader.get('/v1/events')).body as EventBody[];
    expect(events.find(({ type }) => type === 'position.updated')?.data).to.include({ change: 'opened' });
  });

  it('include the triggered exit of an order that has hundreds of newer ones in its pair', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, BRACKET);
    await readWallets(service);
    await service.db.query(sql.type(z.object({}))`
      insert into orders (id, created_at, venue, owner, trader, pair, handle, terms, lifecycle)
      select k.id, now() + make_interval(secs => n), o.venue, o.owner, o.trader, o.pair, k.id::text, o.terms, o.lifecycle
      from orders o
      cross join generate_series(1, ${NEWER}) n
      cross join lateral (select md5(n::text)::uuid as id) k
      where o.id = ${order.order_id}`);

    service.exchange.setMid('BTC', '89000');
    await readWallets(service);

    const events = (await trader.get('/v1/events?limit=500')).body as EventBody[];
    expect(events.find(({ type }) => type === 'exit.triggered')?.data).to.include({ exit: 'stop_loss' });
    expect(events.findLast(({ type }) => type === 'position.updated')?.data).to.include({ cause: 'stop_loss' });
  });

  it('have at most 100 executions each, chained by their sizes, however many were made while nobody read', async () => {
    const trader = await service.wallet();
    const fills = Array.from({ length: 250 }, (_, n) => ({
      trade_id: 9_000_000 + n,
      oid: String(8_000_000 + n),
      coin: 'ETH',
      side: 'buy',
      price: '3000',
      size: '0.01',
      start_position: String(n / 100),
      closed_pnl: '0',
      fee: '0.1',
      fee_token: 'USDC',
      is_liquidation: false,
      at_ms: Date.now() + n,
      cloid: null,
      direction: 'Open Long',
      leg: null,
    }));

    await service.db.query(sql.type(z.object({}))`
      select record_exchange_fills(${trader.wallet}, ${JSON.stringify(fills)}::jsonb, '[]')`);

    const events = (await trader.get('/v1/events?type=position.updated')).body as { data: Moved }[];
    const told = events.map(({ data }) => [data.change, data.previous_size, data.size, data.fills.length, data.fees]);
    expect(told).to.deep.equal([
      ['opened', '0', '1', 100, '10'],
      ['increased', '1', '2', 100, '10'],
      ['increased', '2', '2.5', 50, '5'],
    ]);
    const ids = events.flatMap(({ data }) => data.fills.map(({ trade_id }) => trade_id));
    expect(ids).to.deep.equal(fills.map(({ trade_id }) => String(trade_id)));
  });
});
