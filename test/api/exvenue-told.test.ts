import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BRACKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market', stop_loss: 90_000 };
const NEWER = 250;

type EventBody = { type: string; data: { exit?: string; cause?: string; change?: string } };

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
});
