import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { move } from '../support/portfolio.ts';
import { until } from '../support/processes.ts';
import { backUp, recover } from '../support/restored.ts';
import { startService, type TestService } from '../support/service.ts';

const TABLES = ['intents', 'orders', 'lanes', 'idempotency_keys'];

describe('what a restored database shows as unsent at the network', function () {
  this.timeout(120_000);
  let service: TestService;
  beforeEach(async () => {
    service = await startService({ worker: false, settings: { NETVENUE_IN_FLIGHT_MS: '1500' } });
  });
  afterEach(() => service.stop());

  it('is looked for, if it is an order, also where a rule would reject it now', async () => {
    await service.startWorker();
    const trader = await service.trader();
    await service.stopWorkers();
    const placed = await trader.post('/v1/orders/netvenue', market(), { headers: { Prefer: 'wait=0' } });
    const { since, restore } = await backUp(service, TABLES);
    const address = `/v1/orders/netvenue/${placed.body.order_uuid}`;
    const status = async () => (await trader.get(address)).body.status;
    await service.startWorker();
    await until('the lost time to pass', async () => (await status()) === 'completed');
    await service.stopWorkers();
    await move(service, trader.traderId, { elimination: 'MAX_TOTAL_DRAWDOWN' });
    await restore();
    expect(await status()).to.equal('pending');

    await recover(service, since);
    await service.startWorker();
    await until('it to be settled', async () => !['pending', 'unknown'].includes(await status()));

    expect((await trader.get(address)).body).to.include({ status: 'completed', lifecycle: 'filled', remaining: 0 });
  });

  it('is not reported as failed, if it is a close, although no position is left: it may have closed it', async () => {
    await service.startWorker();
    const trader = await service.trader();
    expect((await trader.post('/v1/orders/netvenue', market())).status).to.equal(200);
    await service.stopWorkers();
    const closing = { trade_pair: market().trade_pair };
    const closed = await trader.post('/v1/orders/netvenue/close', closing, { headers: { Prefer: 'wait=0' } });
    const { since, restore } = await backUp(service, TABLES);
    const state = async () => (await trader.get(`/v1/intents/${closed.headers['intent-id']}`)).body.state;
    await service.startWorker();
    await until('the lost time to pass', async () => (await state()) === 'succeeded');
    await service.stopWorkers();
    await restore();

    await recover(service, since);
    await service.startWorker();
    await until('it to be settled', async () => ['failed', 'succeeded'].includes(await state()));

    const { body } = await trader.get(`/v1/orders/netvenue/${closed.body.order_uuid}`);
    expect(body, JSON.stringify(body)).to.include({ status: 'unknown', execution_type: 'FLAT_ALL' });
    const { body: events } = await trader.get('/v1/events?type=order.updated');
    expect(events.at(-1).data).to.include({ action: 'close', status: 'unknown', position_changed: true });
  });
});
