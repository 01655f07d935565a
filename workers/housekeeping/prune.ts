import { type PruneDeps, prune } from '../../src/db/retention.ts';
import type { Task } from '../../src/intents/task.ts';

const pruneTask: Task<unknown, PruneDeps> = (_payload, deps) => prune(deps);

export default pruneTask;
