import { handlePayoutEvent } from '../../src/capabilities/payouts/notified.ts';
import type { Db } from '../../src/db/pool.ts';
import type { Task } from '../../src/intents/task.ts';

const notified: Task<{ event_id: string }, { db: Db }> = ({ event_id }, deps) => handlePayoutEvent(event_id, deps);

export default notified;
