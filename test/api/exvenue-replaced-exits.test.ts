import { expect } from 'chai';
import { readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LONG = { pair: 'BTC', side: 'long', size: '0.02', order_type: 'market' };

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: Record<string, unknown> & { fills: { cause: string }[] } };

/** Executions are read seconds later, and after an outage hours later: by then other commands may have decided about the exits. */
describe('an exit that was executed before another command about it', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.exchange.setMid('BTC', '100000');
    service.exchange.setLiquidity('BTC', null);
  });

  /** A wallet with a position, and a stop-loss that a command has placed. */
  async function holder(): Promise<Wallet> {
    const trader = await service.wallet();
    await trader.post(ORDERS, LONG);
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 95_000 });
    await readWallets(service);
    return trader;
  }

  async function told(trader: Wallet) {
    await readWallets(service);
    const events: Event[] = (await trader.get('/v1/events?limit=500')).body;
    return {
      triggered: events.filter(({ type }) => type === 'exit.triggered').map(({ data }) => data),
      causes: events
        .flatMap(({ type, data }) => (type === 'position.updated' ? data.fills : []))
        .map(({ cause }) => cause),
    };
  }

  it('is reported as that, although a new position has a new one', async () => {
    const trader = await holder();

    service.exchange.setMid('BTC', '94900');
    service.exchange.setMid('BTC', '100000');
    await trader.post(ORDERS, LONG);
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 96_000 });
    const { triggered, causes } = await told(trader);

    expect(triggered).to.have.length(1);
    expect(triggered[0]).to.include({ exit: 'stop_loss', filled_size: '0.02', fill_price: '94900' });
    expect(causes).to.deep.equal(['order', 'stop_loss', 'order']);
  });

  it('is reported as that, although what it has left was closed', async () => {
    const trader = await holder();

    service.exchange.setLiquidity('BTC', '0.004');
    service.exchange.setMid('BTC', '94900');
    service.exchange.setMid('BTC', '100000');
    service.exchange.setLiquidity('BTC', null);
    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    expect(body, JSON.stringify(body)).to.include({ status: 'filled' });
    const { triggered, causes } = await told(trader);

    expect(triggered).to.have.length(1);
    expect(triggered[0]).to.include({ exit: 'stop_loss', filled_size: '0.004' });
    expect(causes).to.deep.equal(['order', 'stop_loss', 'order']);
  });
});
