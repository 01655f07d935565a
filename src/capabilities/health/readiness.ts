import { globSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { components } from '../../contract/types.ts';
import { readCalls } from '../../db/calls.ts';
import { MIGRATION_FILES } from '../../db/migrations.ts';
import type { Db } from '../../db/pool.ts';
import { cachedProbe } from '../../kernel/cache.ts';
import { readStanding } from './queries.ts';

/**
 * The checks of a process that takes work, by the names that the contract lists. A failed check is reported under its name. `database`: it does not
 * respond, or writes do not commit. `listening`: notifications of settled intents do not arrive, so that responses are late. `clock`: it is more than
 * 2 s off the database's. `migrations`: the database lacks something that this version calls. `session`: its sessions have parameters under which
 * rows are read wrongly, or commits do not wait for the disk. `sealing`: this process has other keys than those that seal. `credentials`: an
 * upstream rejects those of this process and accepts those of others.
 */
type Check = NonNullable<components['schemas']['ErrorDetails']['checks']>[number];

/** Whether a process may be given work. */
export type Readiness = {
  /**
   * The checks that failed; empty for a process that is ready. The database is read about once a second at most,
   * however many callers there are.
   */
  failing(): Promise<Check[]>;
  /** Marks the process as stopping: from now on it is not ready. */
  stop(): void;
};

const FRESH_MS = 1_000;
const TIMEOUT_MS = 2_000;
const DEAF_MS = 10_000; // a LISTEN connection is replaced within this time where the database allows it
const NOT_THERE = /^(42P01|3F000|42883|42703)$/; // a table, schema, function or column that a migration adds later

/** What a process knows of itself. By default nothing is wrong. */
type OwnState = {
  isListening?(): boolean;
  isClockOff?(): boolean;
  hasKeys?(sealed: Buffer | null): Promise<boolean>;
  isRejected?(): boolean;
};

/**
 * Creates a process's readiness check. The `queue` check fails if a due job has waited longer than READY_QUEUE_AGE_S
 * seconds, unless no job runs because of `RECOVERY_MODE`; the check `listening`, if `isListening` has been false since the start or for 10 s.
 */
export function readiness(
  db: Db,
  { READY_QUEUE_AGE_S, RECOVERY_MODE }: Pick<Config, 'READY_QUEUE_AGE_S'> & Partial<Pick<Config, 'RECOVERY_MODE'>>,
  {
    isListening = () => true,
    isClockOff = () => false,
    hasKeys = async () => true,
    isRejected = () => false,
  }: OwnState = {},
): Readiness {
  let heardAt = Number.NEGATIVE_INFINITY;
  const migrations = globSync(MIGRATION_FILES).map((file) => path.basename(file, '.sql')); // as stored in the table
  const called = readCalls().then(({ functions, relations, tasks }) => ({
    functions: Object.keys(functions),
    relations: Object.keys(relations),
    tasks, // jobs of other tasks are left from a version that was rolled back; no worker of this version takes them
  }));
  let isStopping = false;

  async function runChecks(): Promise<Check[]> {
    try {
      const { lacks_migrations, oldest_due_s, is_writable, is_session_sound, sealed } = await readStanding(db, {
        migrations,
        ...(await called),
      });
      return [
        ...(is_writable ? [] : (['database'] as const)),
        ...(lacks_migrations ? (['migrations'] as const) : []),
        ...(is_session_sound ? [] : (['session'] as const)),
        ...(!is_writable || (await hasKeys(sealed)) ? [] : (['sealing'] as const)),
        ...(isRejected() ? (['credentials'] as const) : []),
        ...(oldest_due_s > READY_QUEUE_AGE_S && !RECOVERY_MODE ? (['queue'] as const) : []),
        ...(isDeaf() ? (['listening'] as const) : []),
        ...(isClockOff() ? (['clock'] as const) : []),
      ];
    } catch (error) {
      return [isMissingDefinition(error) ? 'migrations' : 'database'];
    }
  }

  function isDeaf(): boolean {
    if (isListening()) heardAt = performance.now();
    return performance.now() - heardAt > DEAF_MS;
  }

  const latest = cachedProbe(runChecks, { freshMs: FRESH_MS, timeoutMs: TIMEOUT_MS });
  return {
    failing: async () => (isStopping ? ['stopping'] : ((await latest()) ?? ['database'])),
    stop() {
      isStopping = true;
    },
  };
}

/** The checks without which a worker runs no job, and what it logs meanwhile. */
const NEEDED = {
  migrations: 'no job runs until the release has migrated the database',
  sealing: 'no job runs: SEALING_KEYS are not those of the others',
} as const satisfies Partial<Record<Check, string>>;

/**
 * Resolves once every migration and definition that this version calls exists and this process can open what the others seal, or when the signal is
 * aborted. A job that runs before its release has finished could send what it cannot record. A worker with wrong keys fails each job at once, so it
 * would take most of them.
 */
export async function untilAble(
  { failing }: Pick<Readiness, 'failing'>,
  log: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  for (let logged = ''; !signal.aborted; ) {
    const checks = await failing();
    const lacking = checks.find((check) => check === 'migrations' || check === 'sealing');
    if (!lacking) return;
    if (lacking !== logged) log.warn(NEEDED[lacking]);
    logged = lacking;
    await sleep(FRESH_MS, undefined, { signal }).catch(() => {}); // a stop ends the pause
  }
}

const isMissingDefinition = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  return ('code' in error && NOT_THERE.test(String(error.code))) || isMissingDefinition(error.cause);
};
