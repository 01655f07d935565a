import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Line, lineTo } from '../support/lines.ts';
import { market } from '../support/orders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = 9;
const APART_MS = 130;
const IDLE_MS = 1_500; // no job ends meanwhile: the queue would end a runner that cannot record it
const REPLACED_MS = 15_000; // every silent connection is, by then

/** As a router does that forgets idle connections: neither end is notified. */
describe('a worker whose connections have gone silent', function () {
  this.timeout(90_000);
  let service: TestService;
  let worker: Line;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  before(async () => {
    const database = await freshDatabase();
    worker = await lineTo(database.url);
    service = await startService({
      database,
      settings: { DATABASE_URL: database.url, DATABASE_DIRECT_URL: worker.url },
    });
    trader = await service.trader();
  });
  after(async () => {
    await service.stop();
    await worker.close();
  });

  /** How long orders take that come one after the other, in milliseconds, the middle one of them. */
  async function medianMs(): Promise<number> {
    const took: number[] = [];
    for (let n = 0; n < ORDERS; n++) {
      await pause(APART_MS);
      const startedAt = performance.now();
      const { status } = await trader.post('/v1/orders/netvenue', market({ leverage: 0.001 }));
      expect(status).to.equal(200);
      took.push(performance.now() - startedAt);
    }
    return took.sort((one, other) => one - other)[Math.floor(ORDERS / 2)] ?? Number.NaN;
  }

  it('hears of new jobs again soon', async () => {
    const before = await medianMs();
    await pause(IDLE_MS);
    worker.silence('open');
    await pause(REPLACED_MS);

    const after = await medianMs();

    expect(after).to.be.below(before + 100);
  });
});
