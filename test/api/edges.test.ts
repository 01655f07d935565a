import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isAlive } from '../../src/db/embedded/postmaster.ts';
import { untilAvailable } from '../../src/db/wait.ts';
import { freePort } from '../support/free-port.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const RUNTIME = fileURLToPath(new URL('../../src/runtime/', import.meta.url));

/** Logs more than any reader's buffer holds, and stops on SIGTERM. */
const program = `
import { openLog } from '${RUNTIME}log.ts';
import { stopOnSignal } from '${RUNTIME}stop.ts';
const log = openLog({ LOG_LEVEL: 'info' });
stopOnSignal(async () => {}, 25_000, () => {});
process.stderr.write(\`started \${process.pid}\\n\`);
setInterval(() => { for (let n = 0; n < 200; n++) log.info({ n }, 'x'.repeat(200)); }, 10);
`;

describe('the edges of a process', function () {
  this.timeout(60_000);

  for (const [what, command] of [
    ['a pipe', 'node "$0" | sleep 60'],
    ['a socket', 'exec node "$0"'],
  ] as const)
    it(`ends within seconds although the reader of its log has stalled, ${what}, and says how many lines it dropped`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tps-test-log-'));
      const file = join(folder, 'program.ts');
      await writeFile(file, program);
      const child = spawn('sh', ['-c', `${command}`, file], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      child.stdout.pause();
      const said: string[] = [];
      child.stderr.on('data', (chunk) => said.push(String(chunk)));
      await until('it to log', () => (said.join('').includes('started') ? true : null), 20_000);
      await sleep(1_500);

      const startedAt = performance.now();
      const pid = Number(/started (\d+)/.exec(said.join(''))?.[1]);
      process.kill(pid, 'SIGTERM');
      await until('it to end', () => (isAlive(pid) ? null : true), 20_000);
      const tookMs = performance.now() - startedAt;
      if (what === 'a pipe') process.kill(-(child.pid ?? 0), 'SIGKILL'); // the reader
      await rm(folder, { recursive: true });

      expect(tookMs).to.be.below(8_000);
      expect(said.join('')).to.match(/\d+ log lines were dropped/);
    });

  it('waits for a database that takes no connection yet, and goes on once it does', async () => {
    const database = await freshDatabase();
    const { host, port, user, database: name } = database.connection;
    const open = await freePort();
    const refused: Error[] = [];
    const waiting = untilAvailable(`postgres://${user}@127.0.0.1:${open}/${name}`, (error) => refused.push(error));
    await until('it to wait', () => (refused.length > 1 ? true : null), 10_000);
    const relay = createServer((socket) => {
      const server = connect(`${host}/.s.PGSQL.${port}`);
      for (const each of [socket, server]) each.on('error', () => {}); // the database closes a rejected connection
      socket.pipe(server).pipe(socket);
    }).listen(open, '127.0.0.1');

    await waiting;
    const wrong = [`${user}@127.0.0.1:${open}/none`, `nobody_${process.pid}@127.0.0.1:${open}/${name}`];
    const rejected = await Promise.all(
      wrong.map((address) => untilAvailable(`postgres://${address}`, () => {}).catch((error) => error.code)),
    );
    relay.close();
    await database.drop();

    expect(refused[0]).to.have.property('code', 'ECONNREFUSED');
    expect(rejected).to.deep.equal(['3D000', '28000']); // waiting does not mend it
  });
});
