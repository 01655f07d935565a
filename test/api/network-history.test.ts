import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { STALE_MS } from '../support/portfolio.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const HISTORY = '/v1/history/orders';

describe('the history of orders at the network', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { style: '2026' } });
  });
  beforeEach(() => service.miner.setPrice('BTCUSDC', 100_000));
  after(() => service.stop());

  it('says what the order itself says of its exits', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    const { body } = await trader.post(ORDERS, market({ stop_loss: 110_000 }));

    const history = (await trader.get(HISTORY)).body;

    expect(body).to.include({ lifecycle: 'filled', protection: 'failed' });
    expect(history[0]).to.include({
      order_id: body.order_uuid,
      trigger_status: 'failed',
      trigger_error: body.protection_error,
    });
    expect(history[1]).to.include({ trigger_status: 'placed', trigger_error: null });
  });

  it('names a triggered stop-limit as its owner does', async () => {
    const trader = await service.trader();
    const order_uuid = randomUUID();
    const stop = { execution_type: 'STOP_LIMIT', stop_price: 105_000, limit_price: 106_000, quantity: 0.01 };
    await trader.post(ORDERS, market({ order_uuid, ...stop }));
    service.miner.setPrice('BTCUSDC', 105_500);
    await sleep(STALE_MS);

    const [shown] = (await trader.get(HISTORY)).body;

    expect(shown).to.include({ order_id: order_uuid, client_order_id: order_uuid, fill_price: '105500' });
  });

  it('names exits that replaced those of an order as their owner does', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    const { body } = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 95_000 });
    service.miner.setPrice('BTCUSDC', 94_000);
    await sleep(STALE_MS);

    const [shown] = (await trader.get(HISTORY)).body;

    expect(shown).to.include({ order_id: body.order_uuid, client_order_id: body.order_uuid, side: 'short' });
  });
});
