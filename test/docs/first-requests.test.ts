import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Running, STARTED_MS, startProgram, startScript } from '../support/processes.ts';

const README = 'README.md';
/** Guides with commands, in the order in which a reader runs them. */
const GUIDES = ['getting-started', 'writes', 'streams'].map((name) => `src/docs/${name}.md`);

/** The shell blocks of files, as one script that stops at the first failing command. */
async function commandsOf(...files: string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')));
  const blocks = [...texts.join('\n').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  return ['set -eo pipefail', ...blocks].join('\n');
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('the first requests of the README and the guides', function () {
  this.timeout(STARTED_MS * 2);
  let dataDir: string;
  let service: Running;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-readme-`));
    service = startProgram('start', { DATA_DIR: dataDir, PORT: '0', HOST: '0.0.0.0' });
    await service.waitForLine(/operator \(shown once\)/, STARTED_MS);
  });
  after(async () => {
    service.kill('SIGINT', 'group');
    await service.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const printed = (name: RegExp) => service.lines.flatMap((line) => name.exec(line)?.[1] ?? [])[0] ?? '';

  const environment = () => ({
    ...process.env,
    URL: printed(/Trading Partner Service\s+(\S+)/),
    KEY: printed(/partner key \(shown once\)\s+(\S+)/),
    CLIENT_ID: printed(/client_id (\S+)/),
    CLIENT_SECRET: printed(/client_secret (\S+)/),
    MAILS: printed(/sandbox mails\s+(\S+)/),
  });

  const run = async (...files: string[]) => {
    const script = await commandsOf(...files);
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: environment(), timeout: STARTED_MS });
    return stdout.trim();
  };

  it('go to one address, the one in links, which other machines reach where HOST allows it', async () => {
    const url = printed(/Trading Partner Service\s+(\S+)/);
    const metadata = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as {
      issuer: string;
    };

    const addresses = service.lines.flatMap((line) => /(http:\/\/\S+)/.exec(line)?.[1] ?? []);
    const others = addresses.filter((address) => !`${address}/`.startsWith(`${url}/`));
    expect(Number(new URL(url).port)).to.be.above(0);
    expect(metadata.issuer).to.equal(url);
    expect(others, others.join()).to.have.length(1); // the metrics, which stay on this machine
    if (process.platform !== 'linux') return; // it listens on all of 127.0.0.0/8
    expect((await fetch(`${url.replace('127.0.0.1', '127.0.0.2')}/sandbox`)).status).to.equal(200);
  });

  it('work as printed in the README, with the output of npm start', async () => {
    const readme = await readFile(new URL(`../../${README}`, import.meta.url), 'utf8');
    const program = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');

    const node = promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-'], { env: environment() });
    node.child.stdin?.end(program);
    const { stdout } = await node;

    const [order, positions, user, account, traded] = stdout.split(/^(?=[{[])/m);
    expect(order)
      .to.match(/status: 'completed'/)
      .and.match(/lifecycle: 'filled'/)
      .and.match(/trade_pair: 'BTCUSDC'/);
    expect(positions)
      .to.match(/trade_pair: 'BTCUSDC'/)
      .and.match(/side: 'long'/);
    expect(user).to.match(/otp_sent: true/);
    expect(account).to.match(/status: 'evaluation'/);
    expect(traded)
      .to.match(/success: true/)
      .and.match(/status: 'accepted'/);
  });

  it('are followed by a tour whose every step has the expected effects', async () => {
    const { URL: url, KEY, CLIENT_ID, CLIENT_SECRET, MAILS } = environment();
    const ledgers = service.lines.flatMap((line) => /ledger\s+(http\S+)/.exec(line)?.[1] ?? []).join();
    const credentials = { TOUR_KEY: KEY, TOUR_CLIENT_ID: CLIENT_ID, TOUR_CLIENT_SECRET: CLIENT_SECRET };

    const tour = startScript('src/commands/tour/index.ts', {
      ...{ TOUR_URL: url, TOUR_LEDGERS: ledgers, TOUR_MAILS: MAILS },
      ...credentials,
    });

    expect((await tour.exited).code, tour.lines.slice(-20).join('\n')).to.equal(0);
    const output = tour.lines.join('\n');
    expect(output).to.match(/Every step had the expected result/);
    for (const secret of [KEY, CLIENT_SECRET]) expect(output).not.to.include(secret);
  });

  /** The blocks of a guide in one language, as one program. */
  const programOf = async (guide: string, language: string) => {
    const text = await readFile(new URL(`../../src/docs/${guide}.md`, import.meta.url), 'utf8');
    const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
    return blocks.map(([, block]) => block).join('\n');
  };
  const RUNTIMES: Record<string, [command: string, ...args: string[]]> = {
    ts: [process.execPath, '--input-type=module-typescript', '-'],
    python: ['python3', '-'],
    sh: ['bash', '-s'],
  };
  /** Wallets that everybody knows, as test chains have them. */
  const WALLETS: Record<string, [wallet: string, key: string]> = {
    ts: [
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    ],
    python: [
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
    ],
    sh: [
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
    ],
  };
  const runGuide = async (guide: string, language: string) => {
    const [command, ...args] = RUNTIMES[language] ?? [''];
    const program = (await programOf(guide, language)).replace(
      'trading-partner-service/client',
      './src/client/index.ts',
    );
    const [EX_WALLET = '', EX_KEY = ''] = WALLETS[language] ?? [];
    const env = { ...environment(), EX_WALLET, EX_KEY };
    const running = promisify(execFile)(command, args, { env, timeout: STARTED_MS });
    running.child.stdin?.end(language === 'sh' ? `set -eo pipefail\n${program}` : program);
    const { stdout } = await running;
    return stdout.trim().split('\n').at(-1) ?? '';
  };

  it('become programs, with a new wallet, by the commands that the guides show', async function () {
    if (!hasCurl) this.skip();
    const commandsIn = async (guide: string) => {
      const text = await readFile(new URL(`../../src/docs/${guide}.md`, import.meta.url), 'utf8');
      const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
      return blocks.flatMap(([, language, block = '']) => (language === '' ? [block] : []));
    };
    const extract = (await commandsIn('selling')).find((block) => block.startsWith('curl'));
    const makeWallet = (await commandsIn('trading-both')).map((block) => block.replace(/^export .*\n/, ''));
    const script = `${extract?.replace(/ > .*/, '')}\n${makeWallet.join('\n')}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: environment(), timeout: STARTED_MS });
    const written = (text: string) => text.split('\n').filter((line) => line !== '');
    const lines = written(stdout);
    const wallet = lines.pop();

    expect(lines).to.deep.equal(written(await programOf('selling', 'python')));
    expect(wallet).to.match(/^export EX_WALLET=0x[\da-fA-F]{40} EX_KEY=0x[\da-f]{64}$/);
  });

  for (const language of Object.keys(RUNTIMES)) {
    const [command] = RUNTIMES[language] ?? [''];
    const isThere = spawnSync(command, ['--version']).status === 0 && (language !== 'sh' || hasCurl);

    it(`sell a challenge, from the sign-up to the money at the bank, in ${language}`, async function () {
      if (!isThere) this.skip();
      const paid = await runGuide('selling', language);

      expect(paid)
        .to.match(/"?status"?: ?["']completed["']/)
        .and.match(/"?amount_cents"?: ?50000\b/);
    });

    it(`trade both venues until the network pays, in ${language}`, async function () {
      if (!isThere) this.skip();
      const week = await runGuide('trading-both', language);

      expect(week)
        .to.match(/"?status"?: ?"completed"/)
        .and.match(/"?amount"?: ?"500"/);
    });
  }

  it('work as printed in the guides, one after another', async function () {
    if (!hasCurl) this.skip();
    const lines = (await run(...GUIDES)).split('\n');

    const [check, order, positions, exits, closed, user, tiers, account, traded, held, first, again] = lines;
    const read = (line = '') => JSON.parse(line);
    expect(read(check), check).to.include({ valid: true });
    expect(read(order)).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(read(positions)[0]).to.include({ trade_pair: 'BTCUSDC', side: 'long' });
    for (const line of [exits, closed, traded]) expect(read(line)).to.include({ success: true, status: 'accepted' });
    expect(read(user)).to.include({ otp_sent: true });
    expect(read(tiers).map((tier: { tier_id: string }) => tier.tier_id)).to.include('tier_demo');
    expect(read(account)).to.include({ status: 'evaluation' });
    expect(read(held)[0]).to.include({ trade_pair: 'ETHUSDC', side: 'short' });
    expect(first)
      .to.match(/^[0-9a-f-]{36}$/)
      .and.equal(again);
    expect(lines.filter((line) => line === 'event: snapshot')).to.have.length(3);
  });
});
