import type { Handler } from '../../edge/handler.ts';
import { readQueueHealth } from './queries.ts';

export const getQueueHealth: Handler<'getQueueHealth'> = async ({ runtime }) => ({
  status: 200,
  body: await readQueueHealth(runtime.db),
});
