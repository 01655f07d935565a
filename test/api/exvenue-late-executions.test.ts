import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

type Event = {
  data: { order_uuid?: string; lifecycle?: string; executed: { filled_size: string }; position_changed: boolean };
};

describe('an order that the exchange shows filled before its executions', () => {
  let proxy: VenueProxy;
  let service: TestService;
  let isBehind = false;
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) =>
      type === 'userFillsByTime' && isBehind ? jsonReply([]) : forward(),
    );
    service = await startService({ settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '60000' } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('has its price, and its line in the statement, once they are shown', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    isBehind = true;

    const reply = await trader.post('/v1/orders/exvenue', MARKET, { prefer: 'wait=0' });
    const { result } = await trader.pollIntent(reply, 20_000);
    isBehind = false;
    for (let run = 0; run < 2; run++) await readWallets(service);
    const { body: lines } = await trader.get('/v1/statements?kind=fill');
    const recorded = await service.db.one(sql.type(z.object({ price: z.string().nullable() }))`
      select o.executed ->> 'fill_price' price from orders o where o.trader = ${trader.wallet}`);

    expect(result).to.include({ status: 'filled', filled_size: '0.01', fill_price: null });
    expect(recorded.price).to.equal('100000');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ quantity: '0.01', price: '100000', side: 'long' });
  });

  it('shows, states and reports the part of it that was filled before it was cancelled', async () => {
    const trader = await service.wallet();
    const limit = { pair: 'BTC', side: 'long', size: '0.0505', order_type: 'limit', price: 100_100 }; // half of it is filled at once
    const { body: placed } = await trader.post('/v1/orders/exvenue', limit);
    await trader.delete(`/v1/orders/exvenue/${placed.order_id}`);

    for (let run = 0; run < 2; run++) await readWallets(service);
    const { body: order } = await trader.get(`/v1/orders/exvenue/${placed.order_id}`);
    const { body: lines } = await trader.get('/v1/statements?kind=fill');
    const events: Event[] = (await trader.get('/v1/events')).body;

    expect(placed).to.include({ status: 'open', filled_size: '0' });
    expect(order).to.include({ status: 'cancelled', filled_size: '0.02525', fill_price: '100000' });
    expect(order.fills).to.have.length(1);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ reference: placed.order_id, quantity: '0.02525', price: '100000', side: 'long' });
    const told = events
      .filter(({ data }) => data.order_uuid === placed.order_id && data.lifecycle === 'cancelled')
      .map(({ data }) => [data.executed.filled_size, data.position_changed]);
    expect(told.pop()).to.deep.equal(['0.02525', true]);
    for (const before of told) expect(before).to.deep.equal(['0', false]); // none where its executions are read first
  });
});
