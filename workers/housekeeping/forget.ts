import { forget } from '../../src/capabilities/users/forget.ts';
import type { Db } from '../../src/db/pool.ts';
import type { Task } from '../../src/intents/task.ts';

const forgetTask: Task<unknown, { db: Db; stopping: AbortSignal }> = (_payload, deps) => forget(deps);

export default forgetTask;
