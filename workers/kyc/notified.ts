import { handleVerificationEvent } from '../../src/capabilities/kyc/store.ts';
import type { NotifiedDeps } from '../../src/capabilities/payments/commands.ts';
import type { Task } from '../../src/intents/task.ts';

const notified: Task<{ event_id: string }, NotifiedDeps> = ({ event_id }, deps) =>
  handleVerificationEvent(event_id, deps);

export default notified;
