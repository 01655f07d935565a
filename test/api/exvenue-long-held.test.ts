import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', order_type: 'market' };
const DAY_MS = 86_400_000;

describe('a position that was held for longer than executions are read before a time', () => {
  let proxy: VenueProxy;
  let service: TestService;
  let hidden = new Set<number>();
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) => {
      const reply = await forward();
      if (type !== 'userFillsByTime' || !reply) return reply;
      return jsonReply((JSON.parse(reply.text) as { oid: number }[]).filter(({ oid }) => !hidden.has(oid)));
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('has the gain, the size and the opening of all of it', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...MARKET, side: 'long', size: '0.03' });
    service.exchange.setMid('BTC', '101000');
    await trader.post(ORDERS, { ...MARKET, side: 'short', size: '0.01' });
    await readWallets(service);
    await service.db.query(sql.type(z.object({}))`
      update exchange_fills set filled_at = filled_at - interval '40 days' where ex_wallet = ${trader.wallet}`);
    await service.db.query(sql.type(z.object({}))`
      update exchange_cursors set complete_from = now() - interval '60 days' where ex_wallet = ${trader.wallet}`);
    const old = await exchangeOf(service).recentFills(trader.wallet);
    hidden = new Set(old.kind === 'found' ? old.data.map(({ oid }) => oid) : []);
    await trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    await readWallets(service);

    const from = new Date(Date.now() - DAY_MS).toISOString();
    const { body } = await trader.get(`/v1/history/positions?from_date=${from}`);

    expect(body).to.have.length(1);
    expect(body[0]).to.include({ size: '0.03', entry_price: '100000', realized_pnl: '30' });
    expect(Date.parse(body[0].open_time)).to.be.below(Date.now() - 39 * DAY_MS);
  });
});
