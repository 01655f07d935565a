import { expect } from 'chai';
import { type Running, startProgram, until } from '../support/processes.ts';
import { readScrape } from '../support/scrape.ts';
import { startService, type TestService } from '../support/service.ts';

const BEHIND_S = 600;

/** Shifts the clock of a process before its first line runs. */
const SHIFTED = `
const Real = Date;
const shifted = () => Real.now() - ${BEHIND_S * 1000};
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(shifted());
    else super(...given);
  }
  static now() {
    return shifted();
  }
};
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin - ${BEHIND_S * 1000} });`;

describe('a process whose clock is off', function () {
  this.timeout(60_000);
  let service: TestService;
  let worker: Running;
  let metricsUrl: string;
  before(async () => {
    service = await startService({ worker: false });
    worker = startProgram('worker', {
      ...service.settings,
      ...{ LOG_LEVEL: 'info', METRICS_PORT: '0' },
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SHIFTED)}`,
    });
    const line = JSON.parse(await worker.waitForLine(/metrics server is listening/));
    metricsUrl = `http://127.0.0.1:${line.metrics_port}`;
  });
  after(async () => {
    worker.kill('SIGKILL');
    await worker.exited;
    await service.stop();
  });

  it('says so in its log, its metrics and its readiness', async () => {
    const line = JSON.parse(await worker.waitForLine(/"alert":"clock"/));
    const scraped = readScrape(await (await fetch(`${metricsUrl}/metrics`)).text());
    const ready = await fetch(`${metricsUrl}/readyz`);

    expect(line.ahead_ms).to.be.within(-BEHIND_S * 1000 - 2_000, -BEHIND_S * 1000 + 2_000);
    expect(scraped.value('tps_clock_ahead_seconds')).to.be.within(-BEHIND_S - 2, -BEHIND_S + 2);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.contain('clock');
  });

  it('goes by the time of the database: its orders have not expired when they arrive', async () => {
    const trader = await service.wallet();

    const { status, body } = await trader.post('/v1/orders/exvenue', {
      ...{ pair: 'BTC', side: 'long', order_type: 'market', size: '0.01' },
    });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ status: 'filled' });
  });

  it('is noticed by no other process', async () => {
    const failing = () => service.runtime.readiness.failing();
    await until('web to be ready', async () => (await failing()).length === 0);
  });
});
