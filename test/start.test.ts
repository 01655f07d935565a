import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { findPostmaster, stopPostmaster } from '../src/db/embedded/postmaster.ts';
import { caller } from './support/caller.ts';
import { type Running, startProgram, startScript } from './support/processes.ts';

const SERVES_WITHIN_MS = 10_000;

describe('npm start, where nothing is set up', function () {
  this.timeout(60_000);
  const started: Running[] = [];
  let dataDir: string;
  let key: string;
  let traderId: string;
  let restingUuid: string;
  let running: Running;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-start-`));
  });
  after(async () => {
    for (const { kill, exited } of started) {
      kill('SIGKILL');
      await exited;
    }
    const folder = path.join(dataDir, 'postgres');
    const left = await findPostmaster(folder);
    if (left) await stopPostmaster(folder, left.pid, 'immediate');
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (settings: Record<string, string> = {}) => {
    const service = startProgram('start', { DATA_DIR: dataDir, PORT: '0', ...settings });
    started.push(service);
    return service;
  };
  const serving = async (service: Running) => {
    const url = word(await service.says(/Trading Partner Service +http/));
    await service.says(/partner key/);
    return url;
  };
  const interrupt = async (service: Running) => {
    service.kill('SIGINT', 'group');
    return service.exited;
  };
  const database = () => findPostmaster(path.join(dataDir, 'postgres'));

  it('serves within 10 s, and prints a partner key that works', async () => {
    const startedAt = performance.now();
    const service = start();

    const url = await serving(service);

    const ms = Math.round(performance.now() - startedAt);
    console.log(`      served after ${ms} ms, database made`);
    expect(ms).to.be.below(SERVES_WITHIN_MS);
    key = word(await service.says(/partner key \(shown once\)/));
    const registered = await caller(url, key).post('/v1/register/netvenue', {
      asset_class: 'crypto',
      account_size: 5_000,
    });
    expect(registered.status).to.equal(200);
    traderId = String(registered.body.subaccount.subaccount_id);
    expect((await caller(url, key).get('/docs')).status).to.equal(200);
    expect(await interrupt(service)).to.deep.equal({ code: 0, signal: null });
  });

  it('leaves no process behind', async () => {
    expect(await database()).to.equal(null);
  });

  it('keeps its data between runs and prints no key again', async () => {
    const service = start();

    const url = await serving(service);

    expect(service.lines.join('\n')).not.to.include('tpk_');
    const trader = caller(url, key, { 'Trader-ID': traderId });
    const placed = await trader.post('/v1/orders/netvenue', {
      trade_pair: 'BTCUSDC',
      order_type: 'LONG',
      leverage: 0.1,
    });
    expect(placed.body).to.include({ status: 'accepted' });
    const resting = await trader.post('/v1/orders/netvenue', {
      trade_pair: 'BTCUSDC',
      order_type: 'LONG',
      execution_type: 'LIMIT',
      limit_price: 50_000,
      quantity: 0.01,
    });
    restingUuid = String(resting.body.order_uuid);
    expect(await interrupt(service)).to.deep.equal({ code: 0, signal: null });
  });

  it('finds positions and resting orders at the sandbox again', async () => {
    const service = start();
    const trader = caller(await serving(service), key, { 'Trader-ID': traderId });

    const positions = await trader.get('/v1/positions/netvenue');
    const resting = await trader.get(`/v1/orders/netvenue/${restingUuid}`);

    expect(positions.body.map(({ trade_pair }: { trade_pair: string }) => trade_pair)).to.deep.equal(['BTCUSDC']);
    expect(resting.body).to.include({ status: 'completed', lifecycle: 'resting' });
    expect(await interrupt(service)).to.deep.equal({ code: 0, signal: null });
  });

  it('stops on Ctrl-C in the order of need: requests under way are answered, the database goes last', async () => {
    const service = start();
    const trader = caller(await serving(service), key, { 'Trader-ID': traderId });
    const placing = trader.post('/v1/orders/netvenue', { trade_pair: 'ETHUSDC', order_type: 'LONG', leverage: 0.1 });
    await sleep(30); // on its way, or at the venue already

    const exit = await interrupt(service);

    expect((await placing).status).to.equal(200);
    expect(exit).to.deep.equal({ code: 0, signal: null });
    expect(
      service.lines.filter((line) => line.startsWith('{')),
      'complaints about a database that went first',
    ).to.be.empty;
    expect(await database()).to.equal(null);
  });

  it('says clearly that its data is in use, or its port taken, and leaves what runs alone', async () => {
    running = start();
    const url = await serving(running);

    const same = start();
    const other = start({ DATA_DIR: path.join(dataDir, 'other'), PORT: new URL(url).port });

    expect((await same.exited).code).to.equal(1);
    expect(same.lines.join('\n')).to.match(/^Another process uses .*DATA_DIR/);
    expect((await other.exited).code).to.equal(1);
    expect(other.lines).to.deep.equal([`Port ${new URL(url).port} is taken. Set PORT, or PORT=0 for any.`]);
    expect(await findPostmaster(path.join(dataDir, 'other', 'postgres'))).to.equal(null);
    expect((await caller(url, key).get('/healthz')).status).to.equal(200);
  });

  it('lets partner:create mint one more key meanwhile, and print it once', async () => {
    const minting = startScript('scripts/partner-create.ts', { DATA_DIR: dataDir }, ['Another partner']);

    expect(await minting.exited).to.deep.equal({ code: 0, signal: null });

    const minted = /tpk_\S+/.exec(minting.lines.join('\n'))?.[0] ?? '';
    const { status } = await caller(await serving(running), minted).get(`/v1/intents/${crypto.randomUUID()}`);
    expect(status).to.equal(404);
    expect(await interrupt(running)).to.deep.equal({ code: 0, signal: null });
    expect(await database()).to.equal(null);
  });
});

const word = (line: string) => line.trim().split(/\s+/).at(-1) ?? '';
