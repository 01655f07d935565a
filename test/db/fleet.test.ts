import { expect } from 'chai';
import { sql } from 'slonik';
import { readConfig } from '../../src/config.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { openPauses } from '../../src/kernel/pauses.ts';
import { joinFleet, type Membership } from '../../src/runtime/fleet.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { logLines, testSettings } from '../support/service.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };

type Other = { kind?: 'web' | 'worker'; settings?: Record<string, string>; rejectedBy?: string[]; silentS?: number };

describe('a worker whose credentials an upstream rejects', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DbPool;
  before(async () => {
    database = await freshDatabase();
    db = await openPool(database.url, 4, () => {});
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  const join = ({ kind = 'worker', settings = {} }: Other, pauses = openPauses()): Membership =>
    joinFleet({
      kind,
      db,
      config: readConfig(testSettings(database.url, NOWHERE, settings)),
      log: logLines().logger,
      metrics: { reached: new Map() },
      clock: { isOff: () => false, aheadS: () => 0, stop: () => {} },
      readiness: { failing: async () => [] },
      pauses,
    });

  /** Whether such a worker leaves a task to another process, the only one. */
  async function leavesTo(task: string, other: Other): Promise<boolean> {
    const [itsPauses, pauses] = [openPauses(), openPauses()];
    for (const upstream of other.rejectedBy ?? []) itsPauses.note(upstream);
    for (const upstream of ['netvenue', 'mail']) pauses.note(upstream);
    const its = join(other, itsPauses);
    await until('it to be reported', () => db.exists(sql.unsafe`select 1 from processes`));
    await db.query(sql.unsafe`update processes set seen_at = now() - make_interval(secs => ${other.silentS ?? 0})`);
    await join({}, pauses).leave(); // which waits for its first report
    await its.leave();
    return pauses.leaves(task);
  }

  const cases: [what: string, task: string, other: Other, isLeft: boolean][] = [
    ['a worker that runs', 'network/place', {}, true],
    ['one that was slow to report', 'network/place', { silentS: 10 }, true],
    ['one that was killed', 'network/place', { silentS: 16 }, false],
    ['one that is rejected as well', 'network/place', { rejectedBy: ['netvenue'] }, false],
    ['one that another upstream rejects', 'network/place', { rejectedBy: ['mail'] }, true],
    ['one that runs no job', 'network/place', { settings: { RECOVERY_MODE: 'true' } }, false],
    ['web', 'network/place', { kind: 'web' }, false],
    ['one for the other tasks', 'network/place', { settings: { WORKER_RUNNERS: 'outbound' } }, false],
    ['one for these tasks', 'network/place', { settings: { WORKER_RUNNERS: 'trading' } }, true],
    ['one without mails', 'mail/send', { settings: { WORKER_RUNNERS: 'trading' } }, false],
    ['one with mails', 'mail/send', { settings: { WORKER_RUNNERS: 'outbound' } }, true],
  ];
  for (const [what, task, other, isLeft] of cases)
    it(`${isLeft ? 'leaves' : 'does not leave'} ${task} to ${what}`, async () => {
      expect(await leavesTo(task, other)).to.equal(isLeft);
    });
});
