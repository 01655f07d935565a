import type { Task } from '../../src/intents/task.ts';
import { type WatchDeps, watchWallets } from '../../src/venues/exchange/ledger/watch.ts';

/** The former name of a part of exchange/watch, under which jobs may be queued. */
const resting: Task<unknown, WatchDeps> = (_payload, deps) => watchWallets(deps);

export default resting;
