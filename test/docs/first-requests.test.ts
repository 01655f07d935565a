import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Running, STARTED_MS, startProgram } from '../support/processes.ts';

const README = new URL('../../README.md', import.meta.url);

/** The shell blocks of the README, as one script that stops at the first failing command. */
async function firstRequests(): Promise<string> {
  const blocks = [...(await readFile(README, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  return ['set -eo pipefail', ...blocks].join('\n');
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('the first requests of the README', function () {
  this.timeout(STARTED_MS * 2);
  let dataDir: string;
  let service: Running;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-readme-`));
    service = startProgram('start', { DATA_DIR: dataDir, PORT: '0' });
    await service.waitForLine(/operator \(shown once\)/, STARTED_MS);
  });
  after(async () => {
    service.kill('SIGINT', 'group');
    await service.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const printed = (name: RegExp) => service.lines.flatMap((line) => name.exec(line)?.[1] ?? [])[0] ?? '';

  it('work as printed, with the output of npm start', async function () {
    if (!hasCurl) this.skip(); // the README requires it
    const env = {
      ...process.env,
      URL: printed(/Trading Partner Service\s+(\S+)/),
      KEY: printed(/partner key \(shown once\)\s+(\S+)/),
      CLIENT_ID: printed(/client_id (\S+)/),
      CLIENT_SECRET: printed(/client_secret (\S+)/),
      MAILS: printed(/sandbox mails\s+(\S+)/),
    };

    const { stdout } = await promisify(execFile)('bash', ['-c', await firstRequests()], { env, timeout: STARTED_MS });

    const [order, positions, user, account, traded] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(order).to.include({ status: 'completed', lifecycle: 'filled', trade_pair: 'BTCUSDC' });
    expect(positions[0]).to.include({ trade_pair: 'BTCUSDC', side: 'long' });
    expect(user).to.include({ otp_sent: true });
    expect(account).to.include({ status: 'evaluation' });
    expect(traded).to.include({ success: true, status: 'accepted' });
  });
});
