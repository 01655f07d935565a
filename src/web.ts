import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { drainable } from './edge/drain.ts';
import { createEdge } from './edge/server.ts';
import { type Metrics, openMetrics } from './metrics/registry.ts';
import { withMetrics } from './metrics/serve.ts';
import { openLog, openWebRuntime, type WebRuntime } from './runtime.ts';
import { stopOnSignal } from './stop.ts';

const DRAIN_MS = 15_000; // how long requests may go on waiting after the stop; then they answer where to poll
const STOP_WITHIN_MS = 25_000; // a platform kills after 30 s

export type RunningWeb = { url: string; runtime: WebRuntime; stop(): Promise<void> };

/** Starts the HTTP edge. `stop` takes no new requests, lets those under way end, then gives everything back. */
export async function startWeb(
  config: Config,
  log: Logger = openLog(config),
  metrics: Metrics = openMetrics(),
): Promise<RunningWeb> {
  const runtime = await openWebRuntime(config, log, metrics);
  const server = createEdge(runtime);
  const drain = drainable(server);
  server.listen(config.PORT, config.HOST);
  await once(server, 'listening').catch(async (error) => {
    await runtime.close();
    throw error.code === 'EADDRINUSE' ? new Error(`Port ${config.PORT} is taken. Set PORT, or PORT=0 for any.`) : error;
  });
  const { port } = server.address() as AddressInfo; // listening on TCP
  log.info({ port }, 'web is listening');
  return {
    url: `http://127.0.0.1:${port}`,
    runtime,
    async stop() {
      runtime.readiness.stop();
      runtime.streams.close(); // their readers connect again, to another process
      const hurry = setTimeout(runtime.stop, DRAIN_MS);
      await drain();
      clearTimeout(hurry);
      await runtime.close();
    },
  };
}

if (import.meta.main) {
  const config = readConfig();
  const log = openLog(config);
  const web = await startWeb(config, log);
  const { stop } = await withMetrics(web);
  stopOnSignal(stop, STOP_WITHIN_MS, (err) => log.fatal({ err }, 'stopped badly'));
}
