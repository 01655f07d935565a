import type { Logger } from 'pino';
import type { Db } from '../db/pool.ts';
import { goByDatabaseTime } from '../kernel/work.ts';
import { readDatabaseTime } from './queries.ts';

const APART_MS = 2_000;
const EVERY_MS = 5_000;
const SLOW_MS = 1_000; // a reading that took longer says too little about the clock

/** Where the difference is shown, in seconds. */
type Shown = { clockAhead: { set(seconds: number): void } };

/** What a process knows of its clock. */
export type Clock = {
  /** Whether it was more than 2 s off the database's when it was last read. */
  isOff(): boolean;
  stop(): void;
};

/**
 * Compares this process's clock with the database's, now and every 5 s. While they are more than 2 s apart, the process
 * goes by the database's time; a log line says so at the beginning and at the end. A reading that fails changes nothing.
 */
export async function watchClock(db: Db, log: Pick<Logger, 'error' | 'info'>, metrics: Shown): Promise<Clock> {
  let isOff = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function take(aheadMs: number): void {
    metrics.clockAhead.set(aheadMs / 1000);
    const wasOff = isOff;
    isOff = Math.abs(aheadMs) > APART_MS;
    goByDatabaseTime(isOff ? Math.round(aheadMs) : 0);
    const line = { ahead_ms: Math.round(aheadMs) };
    if (isOff && !wasOff) log.error({ alert: 'clock', ...line }, "the clock is off the database's, whose time counts");
    if (wasOff && !isOff) log.info(line, "the clock agrees with the database's again");
  }

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const databaseMs = await readDatabaseTime(db).catch(() => null);
    const tookMs = performance.now() - startedAt;
    if (databaseMs !== null && tookMs < SLOW_MS) take(Date.now() - tookMs / 2 - databaseMs);
    if (!isStopped) timer = setTimeout(read, EVERY_MS).unref();
  }

  await read();
  return {
    isOff: () => isOff,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
