import type { Task } from '../../src/intents/task.ts';
import { withProcessor } from '../../src/payments/processor.ts';
import { type ReadDeps, readPayment } from '../../src/payments/read.ts';

const read: Task<{ payment_id: string }, ReadDeps> = ({ payment_id }, deps) => readPayment(payment_id, deps);

export default withProcessor(read);
