import type { Task } from '../../src/intents/task.ts';
import { rouseEndpoint } from '../../src/webhooks/outcomes.ts';

/** Starts the lanes of an endpoint whose next retry has come due. */
const wake: Task<{ endpoint_id: string }> = ({ endpoint_id }, { db }) => rouseEndpoint(db, endpoint_id);

export default wake;
