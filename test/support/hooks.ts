import { stopPostgres } from './postgres.ts';

/** Mocha's root hooks: whatever the tests started for themselves ends with them. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopPostgres();
  },
};
