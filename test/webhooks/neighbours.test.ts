import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';
import { lateness, manyEndpoints, quantile, type Reported } from './load.ts';

const ENDPOINTS = 50; // the most of one app
const OTHERS = 12;

/** A delivery's first attempt, from the event to its first byte: beside a busy neighbour and without one. */
describe('an app with as many endpoints as it may have', function () {
  this.timeout(60_000);
  let d: Deliveries;
  let receiver: Receiver;
  let busy: string;
  beforeEach(async () => {
    d = await openDeliveries();
    receiver = await startReceiver();
    busy = await d.app();
    for (let n = 0; n < ENDPOINTS; n += 1) await d.endpoint(busy, `${receiver.url}/busy/${n}`);
  });
  afterEach(async () => {
    receiver.behave(() => 200);
    await d.stop();
    await receiver.close();
  });

  for (const [what, delayMs, events] of [
    ['with a long backlog', 100, 300],
    ['whose receivers are slow', 900, 120],
  ] as const)
    it(`${what} does not delay the first delivery of another`, async () => {
      receiver.behave(({ path }) => ({ status: 200, delayMs: path.startsWith('/busy') ? delayMs : 0 }));
      const others = await manyEndpoints(d, receiver.url, 2 * OTHERS);
      await d.startWorker();
      const quiet = await medianOf(others.slice(0, OTHERS));

      await d.rows(`select count(emit_event($1, 'a', '{}')) from generate_series(1, $2::integer)`, [busy, events]);
      await until('its deliveries', () => receiver.ledger.some(({ path }) => path.startsWith('/busy')));
      await sleep(1_000);
      const beside = await medianOf(others.slice(OTHERS));

      const [open] = await d.rows<{ waiting: number }>(
        `select count(*)::integer as waiting from webhook_deliveries where owner = $1 and state = 'pending'`,
        [busy],
      );
      console.log(`    ${beside.toFixed(0)} ms, ${quiet.toFixed(0)} ms without it; ${open?.waiting} wait`);
      expect(open?.waiting, 'its backlog outlasted them').to.be.greaterThan(0);
      expect(beside).to.be.below(900);
    });

  async function medianOf(reported: Reported[]): Promise<number> {
    const late: number[] = [];
    for (const { app, path } of reported) {
      await d.emit(app, 'a');
      const arrived = await until('it arrives', () => receiver.ledger.find((one) => one.path === path), 30_000);
      late.push(lateness(arrived));
      await sleep(100);
    }
    return quantile(late, 0.5);
  }
});
