import type { NotifiedDeps } from '../../src/capabilities/payments/commands.ts';
import { handlePayoutEvent } from '../../src/capabilities/payouts/reports/store.ts';
import type { Task } from '../../src/intents/task.ts';

const notified: Task<{ event_id: string }, NotifiedDeps> = ({ event_id }, deps) => handlePayoutEvent(event_id, deps);

export default notified;
