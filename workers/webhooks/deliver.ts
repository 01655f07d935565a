import type { Task } from '../../src/intents/task.ts';
import { type DeliverDeps, deliverLane } from '../../src/webhooks/deliver.ts';
import type { Lane } from '../../src/webhooks/store.ts';

const deliver: Task<Lane, DeliverDeps> = (lane, deps) => deliverLane(lane, deps);

export default deliver;
