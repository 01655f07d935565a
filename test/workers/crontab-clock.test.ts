import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Running, startProgram } from '../support/processes.ts';
import { findQueueTable } from '../support/queue.ts';
import { startService, type TestService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const STARTS_WITHIN_MS = 8_000;
const HOOK = new URL('../support/clock-ahead.mjs', import.meta.url).href;

/** As a dyno has it whose host lost its time. The tasks of the crontab are the safety net of everything else. */
describe('the crontab of a worker whose clock is ten minutes ahead', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  /** A worker whose clock shows the next full minute soon after its start. */
  const startAhead = (): Running => {
    const untilMinuteMs = MINUTE_MS - ((Date.now() + STARTS_WITHIN_MS) % MINUTE_MS);
    const settings = { ...service.settings, LOG_LEVEL: 'info', NODE_OPTIONS: `--import=${HOOK}` };
    return startProgram('worker', { ...settings, CLOCK_AHEAD_MS: String(10 * MINUTE_MS + untilMinuteMs) });
  };

  it('has its jobs run at once, and keeps no other worker from its turn', async () => {
    const worker = startAhead();

    const ran = await worker.waitForLine(/"task":"housekeeping\/sweep"/, STARTS_WITHIN_MS + 20_000).catch(() => null);
    const crontabs = sql.identifier(await findQueueTable(service.db, 'known_since'));
    const aheadS = await service.db.oneFirst(sql.type(z.object({ s: z.number() }))`
      select extract(epoch from max(last_execution) - now())::double precision as s from ${crontabs}`);
    worker.kill('SIGTERM');
    await worker.exited;

    expect(aheadS).to.be.below(MINUTE_MS / 1_000);
    expect(ran).not.to.equal(null);
  });
});
