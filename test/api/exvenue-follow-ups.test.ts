import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const rejection = (text: string) => jsonReply({ status: 'err', response: text });
/** Half of it is filled at once. */
const HALF_FILLED = { ...MARKET, order_type: 'limit', price: 100_100, size: '0.0505' };

describe('what follows from a command', function () {
  this.timeout(60_000);
  let service: TestService;
  let closeProxy: () => Promise<void>;
  /** The response to the next action of this type, which the venue never sees. */
  let instead: { type: string; reply: ReturnType<typeof jsonReply> } | null = null;
  before(async () => {
    const proxy = await startProxy(async ({ action }, forward) => {
      if (!instead || action?.type !== instead.type) return forward();
      const { reply } = instead;
      instead = null;
      return reply;
    });
    service = await startService({
      settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '1000', EXVENUE_EXPIRES_MS: '30000' },
    });
    proxy.target = service.exchange.url;
    closeProxy = proxy.close;
  });
  after(async () => {
    await service.stop();
    await closeProxy();
  });

  async function stopsOf({ wallet }: Trader): Promise<(string | null)[]> {
    const open = await exchangeOf(service).openOrders(wallet);
    if (open.kind !== 'found') throw new Error(open.kind);
    return open.data
      .filter(({ exit, parentOid }) => exit === 'sl' && parentOid === null)
      .map(({ triggerPrice }) => triggerPrice);
  }
  const only = (trader: Trader, price: string) =>
    until(
      `only the stop at ${price} rests`,
      async () => {
        const stops = await stopsOf(trader);
        return (stops.length === 1 && stops[0] === price) || null;
      },
      10_000,
    );

  for (const [response, reply] of [
    ['a nonce that is too old', rejection('Invalid nonce: 1700000000000 is too old')],
    ['words that nobody has written down', rejection('Something is not as it should be')],
    ['a fault of a proxy', jsonReply({}, 500)],
  ] as const)
    it(`cancels the exits that were replaced, although its response was ${response}, and before its body expires`, async () => {
      const trader = await service.wallet();
      await trader.post(ORDERS, MARKET);
      await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });

      instead = { type: 'cancel', reply };
      await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });

      await only(trader, '85000');
      expect(instead).to.equal(null);
    });

  it('lets the commands of the wallet go on meanwhile', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });

    instead = { type: 'cancel', reply: rejection('Invalid nonce: 1700000000000 is too old') };
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });
    const closed = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
  });

  for (const [response, reply] of [
    ['a rejection', rejection('Invalid nonce: 1700000000000 is too old')],
    ['a fault of a proxy', jsonReply({}, 500)],
  ] as const)
    it(`places the exits again that the venue ended with their order, although its first response is ${response}`, async () => {
      const trader = await service.wallet();
      const { body } = await trader.post(ORDERS, { ...HALF_FILLED, stop_loss: 80_000 });
      instead = { type: 'order', reply };
      expect(service.exchange.endOrder(trader.wallet, cloidOf(body.order_id), 'marginCanceled')).to.equal(true);

      await until('the order has ended', async () => {
        await readWallets(service);
        return (
          (await service.db.exists(sql.type(z.object({}))`
            select from orders where id = ${body.order_id} and lifecycle = 'cancelled'`)) || null
        );
      });

      await only(trader, '80000');
      expect(instead).to.equal(null);
    });
});
