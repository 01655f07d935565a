import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Running, startProgram, until } from '../support/processes.ts';
import { findQueueTable } from '../support/queue.ts';
import { startService, type TestService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const STARTS_WITHIN_MS = 8_000;
/** A worker that starts later ticks a minute later: one that does not tick never does. */
const TICKS_WITHIN_MS = STARTS_WITHIN_MS + MINUTE_MS + 20_000;
const HOOK = new URL('../support/clock-ahead.mjs', import.meta.url).href;

/** The tasks of the crontab are the safety net of everything else. */
describe('the crontab', function () {
  this.timeout(120_000);
  let service: TestService;
  beforeEach(async () => {
    service = await startService({ worker: false });
  });
  afterEach(() => service.stop());

  /** A worker whose clock is some minutes ahead, and shows the next full minute soon after its start. At SIGUSR2 it is set back by `backMs`. */
  const startAhead = (minutes: number, backMs = 0): Running => {
    const untilMinuteMs = MINUTE_MS - ((Date.now() + STARTS_WITHIN_MS) % MINUTE_MS);
    const settings = { ...service.settings, LOG_LEVEL: 'info', NODE_OPTIONS: `--import=${HOOK}` };
    const clock = { CLOCK_AHEAD_MS: String(minutes * MINUTE_MS + untilMinuteMs), CLOCK_BACK_MS: String(backMs) };
    return startProgram('worker', { ...settings, ...clock });
  };
  /** Whether the worker ran a task of every minute soon, and how far in the future the last tick is then, in seconds. */
  async function tick(worker: Running): Promise<[hasRun: boolean, aheadS: number]> {
    const ran = await worker.waitForLine(/"task":"housekeeping\/sweep"/, TICKS_WITHIN_MS).catch(() => null);
    const aheadS = await service.db.oneFirst(sql.type(z.object({ s: z.number() }))`
      select extract(epoch from max(last_execution) - now())::double precision as s
      from ${sql.identifier(await findQueueTable(service.db, 'known_since'))}
      where identifier = 'housekeeping/sweep'`);
    worker.kill('SIGTERM');
    await worker.exited;
    return [ran !== null, aheadS];
  }

  it('of a worker whose clock is ten minutes ahead has its jobs run at once, and does not block the ticks of other workers', async () => {
    const [hasRun, aheadS] = await tick(startAhead(10));

    expect(aheadS).to.be.below(MINUTE_MS / 1_000);
    expect(hasRun).to.equal(true);
  });

  it('goes on after the clock of a worker that runs was set back by an hour', async () => {
    const worker = startAhead(90, 60 * MINUTE_MS + STARTS_WITHIN_MS);
    const begun = sql.unsafe`select from ${sql.identifier(await findQueueTable(service.db, 'known_since'))}`;
    await until('the crontab to begin', async () => (await service.db.exists(begun)) || null);
    worker.kill('SIGUSR2');

    const [hasRun] = await tick(worker);

    expect(hasRun).to.equal(true);
  });

  it('goes on after the time was set back by a day, as by a server that took over', async () => {
    await service.db.query(sql.unsafe`
      insert into ${sql.identifier(await findQueueTable(service.db, 'known_since'))} (identifier, known_since, last_execution)
      values ('housekeeping/sweep', now() - interval '1 day', now() + interval '1 day')`);

    const [hasRun, aheadS] = await tick(startAhead(0));

    expect(hasRun).to.equal(true);
    expect(aheadS).to.be.below(MINUTE_MS / 1_000);
  });
});
