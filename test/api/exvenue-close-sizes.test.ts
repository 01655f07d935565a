import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

/** A closing is sent larger than the position, but within what the exchange accepts. See venues/exchange.md#minimum-order. */
describe('closing a position', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const act = async (trader: Trader, path: string, body: object) => {
    const reply = await trader.post(`${ORDERS}${path}`, body);
    expect(reply.body, JSON.stringify(reply.body)).to.include({ status: 'filled' });
    return reply.body;
  };

  it('that is worth less than half the minimum of an order leaves nothing', async () => {
    const trader = await service.wallet();
    const market = { pair: 'BTC', order_type: 'market' };
    await act(trader, '', { ...market, side: 'long', size: '0.01' });
    await act(trader, '', { ...market, side: 'short', size: '0.00996', reduce_only: true });

    const closed = await act(trader, '/close', { pair: 'BTC' });

    expect(closed).to.include({ size: '0.00004', filled_size: '0.00004' });
  });

  it('that is worth more than half the maximum of an order leaves nothing', async () => {
    const trader = await service.wallet();
    service.exchange.fund(trader.wallet, '10000000');
    await act(trader, '', { pair: 'PURR', order_type: 'market', side: 'long', size: '20000000' });

    const closed = await act(trader, '/close', { pair: 'PURR' });

    expect(closed).to.include({ size: '20000000', filled_size: '20000000' });
  });
});
