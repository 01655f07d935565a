import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startEmbedded } from '../src/db/embedded.ts';
import { type NetvenueUpstream, startNetvenueUpstream } from '../src/sandbox/network/index.ts';
import { caller } from './support/caller.ts';
import { type Running, runProgram, startProgram, startScript, startWebProcess } from './support/processes.ts';
import { KEYS, testSettings } from './support/service.ts';

const DEBIAN_15 = '/usr/lib/postgresql/15/bin';
const servers = [
  { name: 'the embedded PostgreSQL', binaries: {}, missing: '' },
  {
    name: "the machine's PostgreSQL 15",
    binaries: { binDir: DEBIAN_15 },
    missing: existsSync(DEBIAN_15) ? '' : ` (skipped: no ${DEBIAN_15})`,
  },
];

describe('release, web and worker with DATABASE_URL', function () {
  this.timeout(60_000);

  for (const { name, binaries, missing } of servers) {
    it(`execute an order from HTTP to the venue on ${name}${missing}`, async function () {
      if (missing) this.skip();
      const dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-processes-`));
      const server = await startEmbedded({ dataDir, ...binaries });
      const upstream = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0 });
      const running: Running[] = [];
      try {
        const replies = await walk(testSettings(server.url, upstream), running);
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
        expect(upstream.ledger.entries().map(({ kind }) => kind)).to.deep.equal(['subaccount', 'market']);
        for (const { kill } of running) kill('SIGTERM');
        expect(await Promise.all(running.map(({ exited }) => exited))).to.deep.equal(
          running.map(() => ({ code: 0, signal: null })),
        );
      } finally {
        await clear(running, upstream);
        await server.stop('immediate');
        await rm(dataDir, { recursive: true, force: true });
      }
    });
  }

  it('start simulates nothing in production', async () => {
    const dataDir = path.join(tmpdir(), `tps-test-${process.pid}-production`);

    const { code, lines } = await runProgram('start', { NODE_ENV: 'production', PORT: '0', DATA_DIR: dataDir });

    expect(code).to.equal(1);
    expect(lines.join('\n')).to.match(/^Setting DATABASE_URL: needed in production/);
    expect(existsSync(dataDir)).to.equal(false);
  });

  for (const program of ['web', 'worker'] as const)
    it(`${program} stops soon, and without a fault, while it waits for its database`, async () => {
      const nowhere = { minerUrl: 'http://127.0.0.1:1', validatorUrl: 'http://127.0.0.1:1' };
      const waiting = startProgram(program, testSettings('postgres://someone@127.0.0.1:1/nowhere', nowhere));
      await waiting.waitForLine(/waiting for the database/);
      const toldAt = performance.now();

      waiting.kill('SIGTERM');

      expect(await waiting.exited).to.deep.equal({ code: 0, signal: null });
      expect(performance.now() - toldAt).to.be.below(10_000);
    });

  for (const program of ['web', 'worker', 'release', 'start'] as const) {
    it(`${program} exits without a required setting, and reports its name but no value`, async () => {
      const url = 'postgres://someone:their-password@127.0.0.1:1/nowhere';
      const { NETVENUE_MINER_KEY: _, ...rest } = testSettings(url, {
        minerUrl: 'http://127.0.0.1:1',
        validatorUrl: 'nonsense',
      });

      const { code, lines } = await runProgram(program, rest);

      const data = lines.join('\n');
      expect(code).to.equal(1);
      expect(data).to.include('Setting NETVENUE_MINER_KEY').and.to.include('Setting NETVENUE_VALIDATOR_URL');
      expect(data).not.to.match(/their-password|nonsense|test-validator-key/);
    });
  }
});

/** Migrates the database twice, then registers a trader and places an order. */
async function walk(settings: Record<string, string>, running: Running[]) {
  const releases = [await runProgram('release', settings), await runProgram('release', settings)];
  expect(
    releases.map(({ code }) => code),
    releases.map(({ lines }) => lines.join('\n')).join('\n'),
  ).to.deep.equal([0, 0]);
  const web = await startWebProcess(settings);
  running.push(web, startProgram('worker', settings));
  const minting = startScript('src/commands/partner-create.ts', settings, ['Tests']);
  await minting.exited;
  const key = /tpk_\S+/.exec(minting.lines.join('\n'))?.[0] ?? '';
  const registered = await caller(web.url, key).post('/v1/register/netvenue', {
    asset_class: 'crypto',
    account_size: 10_000,
  });
  const trader = caller(web.url, key, { 'Trader-ID': String(registered.body.subaccount?.subaccount_id) });
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
  return [registered, await trader.post('/v1/orders/netvenue', order)];
}

async function clear(running: Running[], upstream: NetvenueUpstream): Promise<void> {
  for (const { kill } of running) kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
  await upstream.close();
}
