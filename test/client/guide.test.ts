import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startTrading, type Trading } from '../support/trading.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The examples of the guide, as one program. */
async function examples(): Promise<string> {
  const guide = await readFile(`${ROOT}src/docs/client.md`, 'utf8');
  return [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
}

describe('the guide of the client', function () {
  this.timeout(60_000);
  let folder: string;
  let service: Trading;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-client-`));
    const modules = path.join(folder, 'node_modules');
    await mkdir(modules);
    await symlink(`${ROOT}node_modules/openapi-fetch`, path.join(modules, 'openapi-fetch'));
    const installed = path.join(modules, 'trading-partner-service');
    [service] = await Promise.all([
      startTrading(),
      run(process.execPath, ['src/commands/client-build.ts', installed], { cwd: ROOT }),
    ]);
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has examples that work, with the client installed as a package', async () => {
    const program = path.join(folder, 'guide.ts');
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(program, await examples());
    const { key: KEY } = await service.partner();
    const { appId, secret } = await service.app(['api', 'webhooks']);
    const { api_key } = await (await service.propTrader()).key();
    const settings = { URL: service.url, KEY, CLIENT_ID: appId, CLIENT_SECRET: secret, API_KEY: api_key };

    const env = { ...process.env, ...settings };
    const { stdout } = await run(process.execPath, [program], { env });

    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.replace(/^app .+/, 'app'))).to.deep.equal([
      'order accepted',
      'V1_NO_POSITION none',
      'filled BTC-USDC',
      'app',
      'webhook webhook.test',
      'stream snapshot true',
    ]);
  });
});
