import { stopPostgres } from './postgres.ts';

/** Set by mocha in each of its processes when it runs several at once; the hooks then come after every file. */
const isOneOfSeveral = process.env.MOCHA_WORKER_ID !== undefined;

/** Mocha's root hooks: whatever the tests started for themselves ends with them, or else with their process. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    if (!isOneOfSeveral) await stopPostgres();
  },
};
