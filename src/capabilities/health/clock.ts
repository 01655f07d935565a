import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { goByDatabaseTime, noteDatabaseTime, steadyMs } from '../../kernel/work.ts';
import { readDatabaseTime } from './queries.ts';

const APART_MS = 2_000;
const EVERY_MS = 5_000;
const SLOW_MS = 1_000; // a reading that took longer cannot show a smaller difference

/** Where the difference is shown, in seconds. */
type ClockMetrics = { clockAhead: { set(seconds: number): void } };

/** What a process knows of its clock. */
export type Clock = {
  /** Whether it was more than 2 s off the database's when it was last read. */
  isOff(): boolean;
  /** How far it was ahead of the database's then, in seconds; null before the first reading. */
  aheadS(): number | null;
  stop(): void;
};

/**
 * Compares this process's clock with the database's, now and every 5 s. While they are more than 2 s apart, the process
 * goes by the database's time; a log line says so at the beginning, when it jumps further, and at the end. A reading
 * that fails changes nothing. A clock that jumps is reported and has no effect: `epochMs` continues steadily.
 */
export async function watchClock(db: Db, log: Pick<Logger, 'error' | 'info'>, metrics: ClockMetrics): Promise<Clock> {
  let isOff = false;
  let aheadS: number | null = null;
  let loggedMs = 0; // 0: the clock is right
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function take(aheadMs: number, steadyAheadMs: number): void {
    aheadS = aheadMs / 1000;
    metrics.clockAhead.set(aheadS);
    isOff = Math.abs(aheadMs) > APART_MS;
    goByDatabaseTime(Math.abs(steadyAheadMs) > APART_MS ? Math.round(steadyAheadMs) : 0);
    const line = { ahead_ms: Math.round(aheadMs) };
    if (isOff && Math.abs(aheadMs - loggedMs) > APART_MS) {
      loggedMs = aheadMs;
      log.error({ alert: 'clock', ...line }, "the clock is off the database's, whose time counts");
    }
    if (!isOff && loggedMs !== 0) {
      loggedMs = 0;
      log.info(line, "the clock agrees with the database's again");
    }
  }

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const databaseMs = await readDatabaseTime(db).catch(() => null);
    const tookMs = performance.now() - startedAt;
    if (databaseMs !== null) {
      const readMs = databaseMs + tookMs / 2;
      const [aheadMs, steadyAheadMs] = [Date.now() - readMs, steadyMs() - readMs];
      const mostMs = Math.max(Math.abs(aheadMs), Math.abs(steadyAheadMs));
      noteDatabaseTime(databaseMs);
      if (tookMs < SLOW_MS || mostMs > APART_MS + tookMs) take(aheadMs, steadyAheadMs);
    }
    if (!isStopped) timer = setTimeout(read, EVERY_MS).unref();
  }

  await read();
  return {
    isOff: () => isOff,
    aheadS: () => aheadS,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
