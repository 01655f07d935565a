import { dispatchEndpoint } from '../../src/capabilities/webhooks/store.ts';
import type { Db } from '../../src/db/pool.ts';
import type { Task } from '../../src/intents/task.ts';

const dispatch: Task<{ endpoint_id: string }, { db: Db }> = ({ endpoint_id }, { db }) =>
  dispatchEndpoint(db, endpoint_id);

export default dispatch;
