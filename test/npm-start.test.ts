import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findPostmaster, stopPostmaster } from '../src/db/embedded/postmaster.ts';
import { until } from './support/processes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What a supervisor does, which knows npm's process alone. */
describe('npm start, ended by SIGTERM to npm,', function () {
  this.timeout(90_000);
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-npm-`));
  });
  after(async () => {
    const folder = path.join(dataDir, 'postgres');
    const left = await findPostmaster(folder);
    if (left) await stopPostmaster(folder, left.pid, 'immediate');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('ends the service, its database and npm', async () => {
    const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(npm, 'exit');
    const lines: string[] = [];
    createInterface(npm.stdout).on('line', (line) => lines.push(line));
    const url = await until('the address', () => /Service +(http\S+)/.exec(lines.join('\n'))?.[1], 60_000);

    npm.kill('SIGTERM');
    await ended;

    await until('the service to end', async () => !(await fetch(url).catch(() => null)));
    await until('the database to end', async () => !(await findPostmaster(path.join(dataDir, 'postgres'))));
    expect(await fetch(url).catch(() => null)).to.equal(null);
  });
});
