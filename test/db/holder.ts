import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbedded } from '../../src/db/embedded.ts';

/*
 * A process that holds a server until it is told to stop, and then takes its time: what a service that drains looks like.
 * Says one line when the server is up and one when the server still answers after the signal.
 */
const server = await startEmbedded({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } });

process.stdin.resume().once('end', () => process.exit(1)); // the tests have ended without us

process.once('SIGINT', async () => {
  await sleep(300);
  const client = new Client(server.url);
  await client.connect();
  await client.query('select 1');
  await client.end();
  console.log(JSON.stringify({ answersAfterSignal: true }));
  await server.stop();
  process.stdin.destroy();
});

console.log(JSON.stringify({ pid: server.pid(), owned: server.owned }));
