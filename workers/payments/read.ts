import { type ReadDeps, readPayment } from '../../src/capabilities/payments/updates.ts';
import type { Task } from '../../src/intents/task.ts';

const read: Task<{ payment_id: string }, ReadDeps> = ({ payment_id }, deps) => readPayment(payment_id, deps);

export default read;
