import { globSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { MIGRATION_FILES } from '../db/migrations.ts';
import type { Db } from '../db/pool.ts';
import { glance } from '../kernel/glance.ts';
import { readStanding } from './queries.ts';

/** What a process must have to take work; a check that failed is told by this name. */
type Check = 'database' | 'migrations' | 'queue' | 'stopping';

/** Whether a process may be given work. */
export type Readiness = {
  /** The checks that failed, none for a process that is ready. However many ask, the database is looked at about once a second. */
  failing(): Promise<Check[]>;
  /** Says that the process goes away: from now on it is not ready. */
  stop(): void;
};

const KEPT_MS = 1_000;
const WITHIN_MS = 2_000;
const NOT_THERE = /^(42P01|3F000|42883|42703)$/; // table, schema, function or column: a migration has yet to make it

/** Makes a process's readiness. A job may be due for READY_QUEUE_AGE_S at most before somebody takes it. */
export function readiness(db: Db, { READY_QUEUE_AGE_S }: Pick<Config, 'READY_QUEUE_AGE_S'>): Readiness {
  const migrations = globSync(MIGRATION_FILES).map((file) => path.basename(file, '.sql')); // as the table names them
  let isStopping = false;

  async function look(): Promise<Check[]> {
    try {
      const { lacks_migrations, oldest_due_s } = await readStanding(db, migrations);
      return [
        ...(lacks_migrations ? (['migrations'] as const) : []),
        ...(oldest_due_s > READY_QUEUE_AGE_S ? (['queue'] as const) : []),
      ];
    } catch (error) {
      return [lacksThings(error) ? 'migrations' : 'database'];
    }
  }

  const seen = glance(look, { keptMs: KEPT_MS, withinMs: WITHIN_MS });
  return {
    failing: async () => (isStopping ? ['stopping'] : ((await seen()) ?? ['database'])),
    stop() {
      isStopping = true;
    },
  };
}

const lacksThings = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  return ('code' in error && NOT_THERE.test(String(error.code))) || lacksThings(error.cause);
};
