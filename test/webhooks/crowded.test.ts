import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { type Behaviour, type Receiver, startReceiver } from '../support/receivers.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';

const [ENDPOINTS, JOBS] = [6, 4]; // of each endpoint four lanes: six times as many as there are jobs
const SOON_MS = 2_500; // a turn of each lane takes 6 s together

describe('the first delivery of a tenant beside another whose many endpoints', function () {
  this.timeout(90_000);
  let deliveries: Deliveries;
  let receivers: Receiver[];
  beforeEach(async () => {
    deliveries = await openDeliveries({ OUTBOUND_CONCURRENCY: String(JOBS) });
  });
  afterEach(async () => {
    await deliveries.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  /** How long a delivery takes once each lane of the other tenant has had a turn, of so many deliveries at most. All have more left. */
  async function msBeside(behaviour: Behaviour, events: number, inTurn: number): Promise<number> {
    const [crowd, quick] = [await startReceiver(behaviour), await startReceiver()];
    receivers = [crowd, quick];
    const [many, other] = [await deliveries.app(), await deliveries.app()];
    for (let n = 0; n < ENDPOINTS; n += 1) await deliveries.endpoint(many, `${crowd.url}/${n}`);
    await deliveries.endpoint(other, quick.url);
    for (let n = 0; n < events; n += 1) await deliveries.emit(many, 'order.updated');
    await deliveries.startWorker();
    await until('each lane has had a turn', () => crowd.ledger.length > 4 * ENDPOINTS * inTurn, 50_000);

    const startedAt = performance.now();
    await deliveries.emit(other, 'order.updated');
    await until('the delivery', () => quick.ledger.length > 0, 30_000);
    const tookMs = performance.now() - startedAt;

    expect(crowd.ledger.length).to.be.below(ENDPOINTS * events);
    return tookMs;
  }

  it('respond slowly does not wait for their responses', async () => {
    expect(await msBeside(() => ({ status: 200, delayMs: 900 }), 30, 1)).to.be.below(SOON_MS);
  });

  it('have long backlogs waits for no turns of lanes that had one', async () => {
    expect(await msBeside(() => ({ status: 200, delayMs: 100 }), 120, 10)).to.be.below(SOON_MS);
  });
});
