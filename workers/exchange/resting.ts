import type { Task } from '../../src/intents/task.ts';
import { type RestingDeps, readResting } from '../../src/venues/exchange/orders/resting.ts';

const resting: Task<unknown, RestingDeps> = (_payload, deps) => readResting(deps);

export default resting;
