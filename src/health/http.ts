import type { Handler } from '../edge/handler.ts';
import { Refusal } from '../kernel/refusals.ts';

/** Answers as long as the process lives: it looks at nothing. */
export const getHealth: Handler<'getHealth'> = async () => ({ status: 200, body: { status: 'ok' } });

/** Whether this process may be given work; refuses with the names of the checks that failed. */
export const getReadiness: Handler<'getReadiness'> = async ({ runtime }) => {
  const checks = await runtime.readiness.failing();
  if (checks.length > 0) throw new Refusal('NOT_READY', { checks });
  return { status: 200, body: { status: 'ready' } };
};
