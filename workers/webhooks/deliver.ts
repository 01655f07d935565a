import { type DeliverDeps, deliverLane } from '../../src/capabilities/webhooks/deliver.ts';
import type { Lane } from '../../src/capabilities/webhooks/store.ts';
import type { Task } from '../../src/intents/task.ts';

const deliver: Task<Lane, DeliverDeps> = (lane, deps) => deliverLane(lane, deps);

export default deliver;
