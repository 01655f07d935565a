import { type WatchDeps, watchAccount } from '../../src/capabilities/trading/watch/watch.ts';
import type { Task } from '../../src/intents/task.ts';

const watch: Task<{ prop_account_id: string }, WatchDeps> = ({ prop_account_id }, deps) =>
  watchAccount(prop_account_id, deps);

export default watch;
