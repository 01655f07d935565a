import type { Task } from '../../src/intents/task.ts';
import { type WatchDeps, watchWallets } from '../../src/venues/exchange/ledger/watch.ts';

const watch: Task<unknown, WatchDeps> = (_payload, deps) => watchWallets(deps);

export default watch;
