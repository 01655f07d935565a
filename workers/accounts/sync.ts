import { type SyncDeps, syncAccount } from '../../src/capabilities/accounts/prop/sync.ts';
import type { Task } from '../../src/intents/task.ts';

const sync: Task<{ prop_account_id: string }, SyncDeps> = ({ prop_account_id }, deps) =>
  syncAccount(prop_account_id, deps);

export default sync;
