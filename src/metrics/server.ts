import { randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { problemDocument } from '../edge/respond.ts';
import { ApiError } from '../kernel/errors.ts';
import { digest } from '../kernel/ids.ts';
import { CONTENT_TYPE, type Metrics } from './registry.ts';

const REQUEST_WITHIN_MS = 5_000;

type Served = {
  config: Pick<Config, 'METRICS_PORT' | 'METRICS_HOST' | 'METRICS_TOKEN' | 'PUBLIC_URL'>;
  log: Logger;
  metrics: Metrics;
  readiness: { failing(): Promise<string[]> };
};
type Page = { status: number; type?: string; text?: string; headers?: Record<string, string> };

/** A metrics server. `url` is null if METRICS_PORT is not set. */
export type MetricsServer = { url: string | null; stop(): Promise<void> };

/**
 * Serves /metrics, /healthz and /readyz on METRICS_PORT; without that setting it serves nothing. If METRICS_TOKEN is
 * set, /metrics requires it as a bearer token. The other two reveal no internals and require no token. Throws if the
 * port is taken.
 */
export async function serveMetrics(served: Served): Promise<MetricsServer> {
  const { METRICS_PORT, METRICS_HOST } = served.config;
  if (METRICS_PORT === undefined) return { url: null, stop: async () => {} };
  const server = serverOf(served);
  server.listen(METRICS_PORT, METRICS_HOST);
  await once(server, 'listening').catch((error) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`Port ${METRICS_PORT} is taken. Set METRICS_PORT, or METRICS_PORT=0 for any.`)
      : error;
  });
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  served.log.info({ metrics_port: port }, 'metrics server is listening');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function serverOf(served: Served): Server {
  const pages = pagesOf(served);
  return createServer(
    { requestTimeout: REQUEST_WITHIN_MS, headersTimeout: REQUEST_WITHIN_MS },
    async (request, response) => {
      const page = await pageFor(request, pages).catch((err): Page => {
        served.log.error({ err }, 'a scrape failed');
        return { status: 500 };
      });
      const { status, type = 'text/plain; charset=utf-8', text = '', headers } = page;
      response.writeHead(status, {
        'Content-Type': type,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        ...headers,
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    },
  );
}

type Pages = Record<string, (request: IncomingMessage) => Promise<Page>>;

async function pageFor(request: IncomingMessage, pages: Pages): Promise<Page> {
  const page = pages[String(request.url).split('?', 1)[0] ?? ''];
  if (!page) return { status: 404 };
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' } };
  return page(request);
}

const pagesOf = ({ config: { METRICS_TOKEN, PUBLIC_URL }, metrics, readiness }: Served): Pages => ({
  __proto__: null as never, // so that a path never finds a member of Object.prototype
  '/metrics': async ({ headers }) =>
    isAllowed(headers.authorization, METRICS_TOKEN)
      ? { status: 200, type: CONTENT_TYPE, text: await metrics.scrape() }
      : { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' } },
  '/healthz': async () => json(200, { status: 'ok' }),
  '/readyz': async () => {
    const checks = await readiness.failing();
    return checks.length === 0 ? json(200, { status: 'ready' }) : notReady(checks, PUBLIC_URL);
  },
});

/** Compares digests of equal length in constant time, so that the duration reveals nothing about the token. */
const isAllowed = (authorization = '', token: string | undefined): boolean =>
  token === undefined || timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));

const json = (status: number, body: object, type = 'application/json; charset=utf-8'): Page => ({
  status,
  type,
  text: JSON.stringify(body),
});

/** The same problem document as at the edge. */
function notReady(checks: string[], publicUrl: string): Page {
  const apiError = new ApiError('NOT_READY', { checks });
  const body = problemDocument(apiError, { requestId: randomUUID(), publicUrl });
  return json(apiError.status, body, 'application/problem+json; charset=utf-8');
}
