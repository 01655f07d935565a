import { handlePaymentEvent, type NotifiedDeps } from '../../src/capabilities/payments/updates.ts';
import type { Task } from '../../src/intents/task.ts';

const notified: Task<{ event_id: string }, NotifiedDeps> = ({ event_id }, deps) => handlePaymentEvent(event_id, deps);

export default notified;
