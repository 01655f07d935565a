import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

describe('orders on the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const effects = (orderId: string) =>
    service.exchange.ledger.entries().filter(({ key }) => key === `0x${orderId.replaceAll('-', '')}`);

  it('places a market order and returns what was filled', async () => {
    const trader = await service.wallet();

    const reply = await trader.post('/v1/orders/exvenue', {
      pair: 'BTC-USDC',
      side: 'long',
      size: '0.01',
      order_type: 'market',
    });

    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    expect(reply.body).to.include({
      status: 'filled',
      filled_size: '0.01',
      side: 'long',
      trigger_status: 'not_requested',
    });
    expect(effects(reply.body.order_id)).to.not.be.empty;
  });

  it('rests a limit order, lists it, and cancels it by its exchange id', async () => {
    const trader = await service.wallet();

    const placed = await trader.post('/v1/orders/exvenue', {
      pair: 'ETH/USD',
      side: 'long',
      size: 1,
      order_type: 'limit',
      price: 2500,
    });
    const listed = await trader.get('/v1/orders/exvenue');
    const cancelled = await trader.delete(`/v1/orders/exvenue/${placed.body.ex_order_id}`);
    const again = await trader.delete(`/v1/orders/exvenue/${placed.body.ex_order_id}`);

    expect(placed.body, JSON.stringify(placed.body)).to.include({ status: 'open', limit_price: '2500' });
    expect(listed.body).to.have.length(1);
    expect(listed.body[0]).to.include({ order_id: placed.body.order_id, ex_order_id: placed.body.ex_order_id });
    expect(cancelled.body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(again.body).to.include({ status: 'already_closed' });
  });

  it('protects, replaces the protection, and closes', async () => {
    const trader = await service.wallet();
    await trader.post('/v1/orders/exvenue', { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });

    const first = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', take_profit: 130000, stop_loss: 50000 });
    const second = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', take_profit: 140000 });
    const closed = await trader.post('/v1/orders/exvenue/close', { pair: 'BTC' });

    expect(first.body, JSON.stringify(first.body)).to.include({ trigger_status: 'placed' });
    expect(second.body.tp_order_id).to.not.equal(first.body.tp_order_id);
    expect(second.body.sl_order_id).to.equal(first.body.sl_order_id);
    expect(closed.body, JSON.stringify(closed.body)).to.include({
      status: 'filled',
      side: 'short',
      filled_size: '0.01',
    });
  });

  it('reconciles before settling when the response is lost', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });

    const reply = await trader.post(
      '/v1/orders/exvenue',
      { pair: 'BTC', side: 'short', size: '0.01', order_type: 'market' },
      { prefer: 'wait=0' },
    );
    const intent = await trader.pollIntent(reply);

    expect(intent, JSON.stringify(intent)).to.include({ state: 'succeeded' });
    expect(intent.result).to.include({ status: 'filled' });
  });

  it('proves that an order was never placed before reporting it', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });

    const reply = await trader.post(
      '/v1/orders/exvenue',
      { pair: 'BTC', side: 'short', size: '0.01', order_type: 'market' },
      { prefer: 'wait=0' },
    );
    const intent = await trader.pollIntent(reply, 20_000);

    expect(intent, JSON.stringify(intent)).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('NOT_CARRIED_OUT');
  });
});
