import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Config } from '../config.ts';
import { noteAgreementKeys } from '../db/agreement-keys.ts';
import { requireOwnNetworks } from '../db/own-networks.ts';
import { type Beside, createEdge, drainable } from '../edge/server.ts';
import { reachedAt } from '../kernel/loopback.ts';
import { openMetrics } from '../metrics/registry.ts';
import { handlersFor } from '../operations.ts';
import { openLog } from './log.ts';
import { runProcess } from './process.ts';
import { openWebRuntime, type WebRuntime } from './web.ts';

const DRAIN_MS = 15_000; // how long requests may wait for an outcome during a stop; then they respond with 202
const STOP_WITHIN_MS = 25_000; // the platform kills the process after 30 s

/** A web process that accepts requests at `url`. */
export type RunningWeb = { url: string; runtime: WebRuntime; stop(): Promise<void> };

/** What a local trial gives to web: its port, taken earlier (`takePort`), and what it serves beside the contract. */
type Trial = { port: Server; beside: Beside };

/** Starts the HTTP edge. `stop` accepts no new requests, waits for those in progress, then releases all connections. */
export async function startWeb(
  config: Config,
  log = openLog(config, 'web'),
  metrics = openMetrics(),
  trial?: Trial,
): Promise<RunningWeb> {
  const runtime = await openWebRuntime(config, log, metrics);
  await orClose(runtime, requireOwnNetworks(runtime));
  const server = createEdge(runtime, handlersFor(runtime), trial?.beside);
  const drain = drainable(server);
  if (trial) server.listen(trial.port);
  else server.listen(config.PORT, config.HOST);
  await orClose(runtime, untilListening(server, config.PORT));
  const { port } = server.address() as AddressInfo; // listening on TCP
  void noteAgreementKeys(runtime.db, runtime.heads.publicKeys, log).catch((err) =>
    log.warn({ err }, 'the keys of agreements were not compared with the database'),
  );
  if (config.RECOVERY_MODE) log.warn('RECOVERY_MODE is set: no write is accepted until it is unset');
  log.info({ port }, 'web is listening');
  return {
    url: `http://${reachedAt(config.HOST)}:${port}`,
    runtime,
    async stop() {
      runtime.readiness.stop();
      runtime.closeStreams(); // readers reconnect, to another process
      const hurry = setTimeout(runtime.stop, DRAIN_MS);
      await drain(DRAIN_MS);
      clearTimeout(hurry);
      await runtime.close();
    },
  };
}

const orClose = ({ close }: WebRuntime, step: Promise<unknown>) =>
  step.catch(async (error) => {
    await close();
    throw error;
  });

/**
 * Takes the port of web before web can start, so that its number is known. Whoever connects until then is disconnected.
 * Throws if the port is taken.
 */
export async function takePort({ PORT, HOST }: Pick<Config, 'PORT' | 'HOST'>): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(PORT, HOST);
  await untilListening(server, PORT);
  return server;
}

const untilListening = (server: Server, port: number) =>
  once(server, 'listening').catch((error) => {
    throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken. Set PORT, or PORT=0 for any.`) : error;
  });

/** Runs the web process until a signal stops it. */
export const runWeb = (): Promise<void> => runProcess('web', startWeb, STOP_WITHIN_MS);
