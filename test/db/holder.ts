import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbedded } from '../../src/db/embedded.ts';

/*
 * A process that holds a server until it receives a stop signal, and then delays its exit, like a draining service.
 * Writes one line when the server is up and one when the server still responds after the signal.
 */
const server = await startEmbedded({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } });

process.stdin.resume().once('end', () => process.exit(1)); // the tests have ended before this process

process.once('SIGINT', async () => {
  await sleep(300);
  const client = new Client(server.url);
  await client.connect();
  await client.query('select 1');
  await client.end();
  console.log(JSON.stringify({ responsesAfterSignal: true }));
  await server.stop();
  process.stdin.destroy();
});

console.log(JSON.stringify({ pid: server.pid(), owned: server.owned }));
