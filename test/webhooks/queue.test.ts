import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { openDeliveries } from '../support/webhooks.ts';
import { manyEndpoints } from './load.ts';

const QUEUED = 500;
const ENDPOINTS = 50;

/** `npm run bench -- --only QUEUE,P6` measures how fast it empties and its effect on orders. */
describe('a queue of deliveries', () => {
  it('empties: each delivery arrives once', async () => {
    const d = await openDeliveries();
    const receiver = await startReceiver();
    const reported = await manyEndpoints(d, receiver.url, ENDPOINTS);
    for (const { app } of reported) for (let n = 0; n < QUEUED / ENDPOINTS; n += 1) await d.emit(app, 'load', { n });

    await d.startWorker();
    await until('all deliveries', () => receiver.ledger.length >= QUEUED);
    await d.settled();

    const events = receiver.ledger.map(({ headers }) => headers['webhook-id']);
    expect(new Set(events).size).to.equal(QUEUED);
    expect(receiver.ledger).to.have.length(QUEUED);
    await receiver.close();
    await d.stop();
  });
});
