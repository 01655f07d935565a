import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../../src/db/embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { loadReceived, type Responses } from '../received.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

type Options = { perSecond: number; fullMs: number; settings: Record<string, string> };

/** What came of the orders, the responses of 503 while the disk was full, and how long after it orders flowed again. */
type Filled = Responses & { rejected: number; restarts: number; backMs: number; orders: Audit };

/** A database on a small disk of its own, with the log of its writes. */
type Disk = {
  url: string;
  /** Takes the space that is left, again and again until `signal` is aborted; then gives it back. */
  fill(signal: AbortSignal): Promise<void>;
  /** Starts the server if it has ended, and counts that. */
  ensure(): Promise<number>;
  drop(): Promise<void>;
};

const SIZE = '300m';
const CHUNK = Buffer.alloc(8 * 1024 * 1024); // written as far as it fits
const BACK_WITHIN_MS = 15_000;
const FLOWING = 10;
/** Few segments in reserve, so that the log of writes needs space soon. */
const SMALL = { min_wal_size: '32MB', max_wal_size: '64MB' };

/** Whether a file system may be mounted here. */
export const canMount = (): Promise<boolean> =>
  promisify(execFile)('unshare', ['--mount', 'true']).then(
    () => true,
    () => false,
  );

/** Orders go on while the disk of the database is full, and after its space was given back. */
export async function tradeOnFullDisk({ perSecond, fullMs, settings }: Options): Promise<Filled> {
  const disk = await openDisk();
  const stage = await openStage({ database: disk, webs: 2, workers: 2, settings });
  let isOver = false;
  try {
    const { load, judge } = await loadReceived(stage, perSecond, () => isOver);
    await flow(stage, load);
    const given = new AbortController();
    const filling = disk.fill(given.signal);
    await sleep(fullMs);
    given.abort();
    await filling;
    const givenAt = Date.now();
    const restarts = await disk.ensure();
    await flow(stage, load);
    const backMs = (stage.upstream.ledger.entries().find(({ at }) => at > givenAt)?.at ?? Number.NaN) - givenAt;
    isOver = true;
    const received = await judge();
    await allSettled(stage, 120_000);
    const { '503 none': none = 0, '503 unknown': unknown = 0 } = received.responses;
    return {
      ...received,
      rejected: none + unknown,
      restarts,
      backMs,
      orders: await auditOrders(stage, received.taken),
    };
  } finally {
    isOver = true;
    await stage.close();
  }
}

async function openDisk(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-disk-`));
  await chmod(folder, 0o755);
  const disk = join(folder, 'disk');
  await mkdir(disk);
  await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'tmpfs', disk]);
  const dataDir = join(disk, 'data');
  const start = () => startEmbedded({ dataDir, settings: SMALL });
  let server: Embedded = await start();
  process.once('exit', () => isAlive(server.pid()) && process.kill(server.pid(), 'SIGQUIT'));
  await migrate(server.url);
  const ballast = join(disk, 'ballast');
  return {
    url: server.url,
    async fill(signal) {
      while (!signal.aborted) await appendFile(ballast, CHUNK).catch(() => sleep(100));
      await rm(ballast);
    },
    async ensure() {
      if (isAlive(server.pid())) return 0;
      server = await start();
      return 1;
    },
    async drop() {
      await server.stop('immediate');
      await promisify(execFile)('umount', ['--lazy', disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for some more orders at the venue, or for the end of the load by a fault. */
const flow = ({ upstream }: Stage, load: Promise<unknown>) => {
  const before = upstream.ledger.entries().length;
  const more = () => upstream.ledger.entries().length >= before + FLOWING || null;
  return Promise.race([until('orders at the venue', more, 120_000), load.then(() => null)]);
};

/** Whether the disk was full for the service, orders flowed again in time, and nothing was lost, doubled or reported wrong. */
export function diskVerdict({ taken, responses, rejected, restarts, misinformed, backMs, orders }: Filled): Verdict {
  const { forgotten, lost, doubled, denied, strange } = orders;
  return {
    promise: 'DISK',
    text: `a full disk under load${restarts > 0 ? ', on which PostgreSQL ended' : ''}`,
    figure: `${taken.length} accepted, ${JSON.stringify(orders)}; responses ${JSON.stringify(responses)}, ${misinformed} denied an effect; orders flow ${seconds(backMs)} after the space was given back`,
    bound: '503 meanwhile, back within 15 s, 0 accepted lost, 0 doubled, 0 reported wrong',
    kept: rejected > 0 && backMs <= BACK_WITHIN_MS && forgotten + lost + doubled + denied + strange + misinformed === 0,
  };
}
