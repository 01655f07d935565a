import { hashAtLowCost } from './password-cost.ts';
import { stopPostgres } from './postgres.ts';

hashAtLowCost();

/** Set by mocha in each of its processes when it runs several at once; the hooks then run after every file. */
const isOneOfSeveral = process.env.MOCHA_WORKER_ID !== undefined;

/** Mocha's root hooks: stop everything the tests started, at the end of the tests or of their process. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    if (!isOneOfSeveral) await stopPostgres();
  },
};
