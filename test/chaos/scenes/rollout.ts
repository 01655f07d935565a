import { openPool } from '../../../src/db/pool.ts';
import { advanceDatabase } from '../../../src/sandbox/clock.ts';
import { until } from '../../support/processes.ts';
import { scriptFaults } from '../faults.ts';
import { underWay } from '../load.ts';
import type { WorkerProcess } from '../stage.ts';
import type { Verdict } from '../verdicts.ts';
import { bank, pump } from './money-harms.ts';
import { auditRollout, rolloutVerdicts } from './rollout-audit.ts';
import { live, openCrowd } from './rollout-load.ts';
import { readAtBoth } from './rollout-reads.ts';
import { openRollout, type Rollout, type Version } from './rollout-stage.ts';

const AT_WORK_MS = 120_000;
const KEPT_S = 600 * 86_400; // longer than anything that is not kept permanently

/**
 * A release while processes of the version in `root` run: callers of everything that writes, at a web process of each version, whose jobs a worker
 * of each takes; each takes over what a killed one of the other leaves. Then a roll-back: killed processes of this version leave what they have
 * accepted and begun to new ones of the version before.
 */
export async function rollOut(root: string): Promise<Verdict[]> {
  const rollout = await openRollout(root);
  const background = new AbortController();
  const helpers: Promise<void>[] = [];
  try {
    let previous = await rollout.worker('previous');
    await rollout.release('this');
    const web = await rollout.web('this');
    let worker = await rollout.worker('this');
    rollout.lead({ previous: rollout.first, this: web });
    const crowd = await openCrowd(rollout);
    helpers.push(pump(rollout, background.signal), bank(rollout, 1, background.signal));
    scriptFaults(rollout.stage.upstream.faults, '/miner/api/submit-order', 1);
    scriptFaults(rollout.stage.exchange.faults, 'POST /exchange', 2);

    const beside = live(crowd, 0);
    beside.catch(() => {}); // reported below
    worker = await replaced(rollout, worker, 'this', beside);
    previous = await replaced(rollout, previous, 'previous', beside);
    const taken = [await beside];
    const readings = await readAtBoth(crowd, { previous: rollout.first, this: web });

    previous.kill('SIGTERM');
    await previous.exited;
    rollout.lead({ this: web });
    const rolledBack = live(crowd, 1);
    rolledBack.catch(() => {}); // reported below
    await atWork(rollout, worker, rolledBack);
    for (const { kill } of [worker, web]) kill('SIGKILL');
    rollout.lead({ previous: rollout.first });
    await rollout.release('previous');
    await rollout.worker('previous');
    rollout.lead({ previous: await rollout.web('previous') });
    rollout.first.kill('SIGTERM');
    taken.push(await rolledBack);
    const audit = await auditRollout(crowd, taken);
    await growOld(rollout);
    await rollout.release('this');
    await rollout.web('this');
    return rolloutVerdicts(rollout, { audit, readings });
  } finally {
    background.abort();
    await Promise.allSettled(helpers);
    await rollout.close();
  }
}

/** Lets so much time pass that nothing is kept any longer, and the tasks of the crontab run. */
async function growOld({ stage, databaseUrl }: Rollout): Promise<void> {
  const db = await openPool(databaseUrl, 1, () => {});
  await advanceDatabase(db, KEPT_S).finally(() => db.end());
  await until('the tasks of the crontab', async () => (await stage.rows(DUE)).length === 0, AT_WORK_MS);
}

/** A task that failed is reported as such: it is repeated later. */
const DUE = 'select from queue_jobs where run_at <= now() and attempts < max_attempts and last_error is null limit 1';

/** Kills a worker at work and starts another of its version. */
async function replaced(rollout: Rollout, victim: WorkerProcess, version: Version, load: Promise<unknown>) {
  await atWork(rollout, victim, load);
  victim.kill('SIGKILL');
  await victim.exited;
  return rollout.worker(version);
}

/** Waits until a worker has jobs of the load. */
async function atWork({ stage }: Rollout, { pools }: WorkerProcess, load: Promise<unknown>): Promise<void> {
  const isOpen = underWay(load);
  const jobs = () =>
    stage.rows(`select from queue_jobs where locked_by = any($1) and task like '%/%' limit 3`, [pools]);
  await until('a worker at work', async () => !isOpen() || (await jobs()).length >= 3, AT_WORK_MS);
}
