import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import type { EdgeDeps } from '../../src/edge/deps.ts';

/** What an edge without a database needs to respond; `more`: what its operations use. */
export const bareEdge = (more: Partial<Record<keyof EdgeDeps, unknown>> = {}): EdgeDeps =>
  ({
    config: {
      TRUSTED_PROXIES: 0,
      VALIDATE_RESPONSES: false,
      PUBLIC_URL: 'http://127.0.0.1',
      THROTTLE_SCALE: 1,
      RECOVERY_MODE: false,
    },
    log: { debug() {}, info() {}, error() {} },
    metrics: { requests: { observe() {} }, errors: { inc() {} }, ended: { requests: [] } },
    requests: [],
    ...more,
  }) as unknown as EdgeDeps; // as: nothing else is used

/** Handlers that answer alike, whatever is asked. */
export const okHandlers = (): AnyHandlers =>
  Object.fromEntries(
    listOperations().map(({ id }) => [id, async () => ({ status: 200, body: { status: 'ok' } })]),
  ) as unknown as AnyHandlers; // as: what they answer is not checked
