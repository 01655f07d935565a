import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/free-port.ts';

/** A Redis server of its own, with every write on disk before its response. */
export type RunningRedis = { port: number; stop(): Promise<void> };

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Starts a Redis server on a new directory; null where none is installed. */
export async function startRedis(): Promise<RunningRedis | null> {
  const dir = await mkdtemp(path.join(tmpdir(), `tps-bench-${process.pid}-redis-`));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...DURABLE];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const isReady = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)); // it is not installed
    server.once('exit', () => resolve(false));
    server.stdout.on('data', (chunk) => /Ready to accept connections/.test(String(chunk)) && resolve(true));
  });
  if (!(await isReady)) {
    await rm(dir, { recursive: true, force: true });
    return null;
  }
  return {
    port,
    async stop() {
      process.removeListener('exit', kill);
      const exited = once(server, 'exit');
      kill();
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
