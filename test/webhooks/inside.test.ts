import { expect } from 'chai';
import { insideForms } from '../support/forms.ts';
import { until } from '../support/processes.ts';
import { listenInside } from '../support/sockets.ts';
import { openDeliveries } from '../support/webhooks.ts';

describe('webhooks/deliver where loopback is not allowed', () => {
  it('opens no connection to an internal address, at the first attempt, at a retry and at a redelivery', async () => {
    const d = await openDeliveries({ WEBHOOK_LOOPBACK: 'false' });
    const inside = await listenInside();
    const literals = insideForms(inside.port).filter(({ responses }) => !responses);
    const app = await d.app();
    for (const { url } of literals) await d.endpoint(app, url);
    await d.startWorker();
    const attempted = () =>
      d.rows<{ error: string; count: string }>(
        'select error, count(*) from webhook_attempts group by error order by error',
      );
    const tried = (times: number) =>
      until(`${times} attempts`, async () => Number((await attempted())[0]?.count ?? 0) >= times);

    await d.emit(app, 'payment.succeeded');
    await tried(literals.length);
    await d.hurry();
    await tried(2 * literals.length);
    await d.rows(`select redeliver(owner, id) from webhook_deliveries order by endpoint_id`);
    await tried(3 * literals.length);

    expect(await attempted()).to.deep.equal([{ error: 'address_forbidden', count: String(3 * literals.length) }]);
    expect(inside.connections()).to.equal(0);
    console.log(`    ${literals.length} forms, 3 attempts each, ${inside.connections()} connections`);
    await inside.close();
    await d.stop();
  });
});
