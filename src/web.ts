import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { createEdge, drainable } from './edge/server.ts';
import { openMetrics } from './metrics/registry.ts';
import { openLog } from './runtime/log.ts';
import { runProcess } from './runtime/process.ts';
import { openWebRuntime, type WebRuntime } from './runtime/web.ts';

const DRAIN_MS = 15_000; // how long requests may wait for an outcome during a stop; then they respond with 202
const STOP_WITHIN_MS = 25_000; // the platform kills the process after 30 s

/** A web process that accepts requests at `url`. */
export type RunningWeb = { url: string; runtime: WebRuntime; stop(): Promise<void> };

/** Starts the HTTP edge. `stop` accepts no new requests, waits for those in progress, then releases all connections. */
export async function startWeb(
  config: Config,
  log = openLog(config, 'web'),
  metrics = openMetrics(),
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
      runtime.closeStreams(); // readers reconnect, to another process
      const hurry = setTimeout(runtime.stop, DRAIN_MS);
      await drain();
      clearTimeout(hurry);
      await runtime.close();
    },
  };
}

if (import.meta.main) await runProcess('web', startWeb, STOP_WITHIN_MS);
