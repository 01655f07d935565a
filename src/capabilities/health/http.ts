import type { Handler } from '../../contract/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Readiness } from './readiness.ts';

type Deps = { readiness: Readiness };

/** Serves `GET /healthz`: always 200 while the process runs. It checks nothing. */
export const getHealth: Handler<'getHealth', Deps> = async () => ({ status: 200, body: { status: 'ok' } });

/** Serves `GET /readyz`: 200 if this process may receive work. Throws NOT_READY with the names of the failed checks. */
export const getReadiness: Handler<'getReadiness', Deps> = async ({ deps }) => {
  const checks = await deps.readiness.failing();
  if (checks.length > 0) throw new ApiError('NOT_READY', { checks });
  return { status: 200, body: { status: 'ready' } };
};
