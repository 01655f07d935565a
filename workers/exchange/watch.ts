import type { Task } from '../../src/intents/task.ts';
import { type WatchDeps, watchExits } from '../../src/venues/exchange/orders/watch.ts';

const watch: Task<unknown, WatchDeps> = (_payload, deps) => watchExits(deps);

export default watch;
