import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { readScrape } from '../support/scrape.ts';
import { openDeliveries } from '../support/webhooks.ts';

describe('delivery attempts', () => {
  it('are counted by status class or fault, with their duration', async () => {
    const receiver = await startReceiver((_received, nth) => (nth === 1 ? 'drop' : nth === 2 ? 503 : 200));
    const d = await openDeliveries();
    const app = await d.app();
    await d.endpoint(app, `${receiver.url}/hook`);
    const { runtime } = await d.startWorker();
    for (let n = 0; n < 3; n++) {
      await d.emit(app, 'user.created');
      await until('it to be delivered', async () => {
        await d.hurry();
        return (await d.rows(`select from webhook_deliveries where state = 'delivered'`)).length > n;
      });
    }
    const scraped = readScrape(await runtime.metrics.scrape());
    await d.stop();
    await receiver.close();

    const attempts = (result: string) => scraped.value('tps_delivery_attempt_duration_seconds_count', { result });
    expect([attempts('2xx'), attempts('5xx'), attempts('reset')]).to.deep.equal([3, 1, 1]);
    expect(attempts('4xx')).to.equal(undefined);
    expect(receiver.ledger).to.have.length(5);
    expect(scraped.value('tps_delivery_attempt_duration_seconds_sum')).to.be.within(0.001, 30);
  });
});
