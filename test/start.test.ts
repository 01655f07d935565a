import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { findPostmaster, stopPostmaster } from '../src/db/embedded/postmaster.ts';
import { startEmbedded } from '../src/db/embedded.ts';
import { caller } from './support/caller.ts';
import { type Running, startProgram, startScript, until } from './support/processes.ts';

describe('npm start without any setup', function () {
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
    const url = word(await service.waitForLine(/Trading Partner Service +http/));
    await service.waitForLine(/partner key/);
    return url;
  };
  const interrupt = async (service: Running) => {
    service.kill('SIGINT', 'group');
    return service.exited;
  };
  const database = () => findPostmaster(path.join(dataDir, 'postgres'));

  it('serves, and prints a partner key that works', async () => {
    const service = start();

    const url = await serving(service);

    key = word(await service.waitForLine(/partner key \(shown once\)/));
    const registered = await caller(url, key).post('/v1/register/netvenue', {
      asset_class: 'crypto',
      account_size: 5_000,
    });
    expect(registered.status).to.equal(200);
    traderId = String(registered.body.subaccount.subaccount_id);
    expect((await caller(url, key).get('/docs')).status).to.equal(200);
    const demo = await credentialsIn(service);
    expect((await tokenFor(url, demo)).scope.split(' ')).to.have.members(ORDINARY);
    expect(await interrupt(service)).to.deep.equal({ code: 0, signal: null });
  });

  it('leaves no process behind', async () => {
    expect(await database()).to.equal(null);
  });

  it('leaves none behind where a signal comes while it starts, and prints what the first start made', async () => {
    const early = path.join(dataDir, 'early');
    const service = start({ DATA_DIR: early });
    await until('its PostgreSQL', () => findPostmaster(path.join(early, 'postgres')), 30_000);

    service.kill('SIGTERM');

    expect(await service.exited).to.deep.equal({ code: 0, signal: null });
    expect(await findPostmaster(path.join(early, 'postgres'))).to.equal(null);
    expect(service.lines.join('\n')).to.match(/partner key \(shown once\)/);
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

  it('restores positions and resting orders at the sandbox', async () => {
    const service = start();
    const trader = caller(await serving(service), key, { 'Trader-ID': traderId });

    const positions = await trader.get('/v1/positions/netvenue');
    const resting = await trader.get(`/v1/orders/netvenue/${restingUuid}`);

    expect(positions.body.map(({ trade_pair }: { trade_pair: string }) => trade_pair)).to.deep.equal(['BTCUSDC']);
    expect(resting.body).to.include({ status: 'completed', lifecycle: 'resting' });
    expect(await interrupt(service)).to.deep.equal({ code: 0, signal: null });
  });

  it('stops on Ctrl-C in order: requests in flight get responses, the database stops last', async () => {
    const service = start();
    const trader = caller(await serving(service), key, { 'Trader-ID': traderId });
    const { url } = await startEmbedded({ dataDir: path.join(dataDir, 'postgres') });
    const client = new Client({ connectionString: url });
    await client.connect();
    const order = trader.post('/v1/orders/netvenue', { trade_pair: 'ETHUSDC', order_type: 'LONG', leverage: 0.1 });
    const accepted = `select from intents where request #>> '{terms,trade_pair}' = 'ETHUSDC'`;
    await until('it to be accepted', async () => (await client.query(accepted)).rowCount === 1);
    await client.end();

    const exit = await interrupt(service);

    expect((await order).status).to.equal(200);
    expect(exit).to.deep.equal({ code: 0, signal: null });
    expect(
      service.lines.filter((line) => line.startsWith('{')),
      'errors about a database that stopped first',
    ).to.be.empty;
    expect(await database()).to.equal(null);
  });

  it('reports data or a port in use, and does not disturb the running instance', async () => {
    running = start();
    const url = await serving(running);

    const same = start();
    const other = start({ DATA_DIR: path.join(dataDir, 'other'), PORT: new URL(url).port });

    expect((await same.exited).code).to.equal(1);
    expect(same.lines.join('\n')).to.match(/^Another process uses .*DATA_DIR/);
    expect((await other.exited).code).to.equal(1);
    expect(other.lines.at(-1)).to.equal(`Port ${new URL(url).port} is taken. Set PORT, or PORT=0 for any.`);
    expect(await findPostmaster(path.join(dataDir, 'other', 'postgres'))).to.equal(null);
    expect((await caller(url, key).get('/healthz')).status).to.equal(200);
  });

  it('rejects a data folder of an earlier version with instructions, and leaves it unchanged', async () => {
    const earlier = path.join(dataDir, 'earlier');
    const asMade = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
      const server = await startEmbedded({ dataDir: path.join(earlier, 'postgres') });
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const done = await work(client);
      await client.end();
      await server.stop();
      return done;
    };
    const tables = async (client: Client) =>
      (await client.query(`select schemaname, tablename from pg_tables where schemaname !~ '^(pg_|information)'`)).rows;
    await asMade((client) =>
      client.query(`
        create table migrations (id serial primary key, name text not null, run_on timestamp not null);
        insert into migrations (name, run_on) values ('0001_migrator', now())`),
    );

    const service = start({ DATA_DIR: earlier });

    expect(await service.exited).to.deep.equal({ code: 1, signal: null });
    expect(service.lines).to.have.length(1);
    expect(service.lines[0]).to.contain(
      `${path.join(earlier, 'postgres')}: This database was made by an earlier version`,
    );
    expect(service.lines[0]).to.match(/remove the data folder or set DATA_DIR to a new one\.$/);
    expect(await asMade(tables)).to.deep.equal([{ schemaname: 'public', tablename: 'migrations' }]);
  });

  it('lets partner:create and app:create make credentials meanwhile, and prints them once', async () => {
    const minting = startScript('src/commands/partner-create.ts', { DATA_DIR: dataDir }, ['Another partner']);
    const [narrow, wrong] = [
      ['another', 'Another app', '--scopes', 'api webhooks'],
      ['another', 'App', '--scopes', 'all'],
    ].map((args) => startScript('src/commands/app-create.ts', { DATA_DIR: dataDir }, args)) as [Running, Running];

    expect(await minting.exited).to.deep.equal({ code: 0, signal: null });
    expect(await narrow.exited).to.deep.equal({ code: 0, signal: null });
    expect(await wrong.exited).to.deep.equal({ code: 2, signal: null });

    const url = await serving(running);
    const minted = /tpk_\S+/.exec(minting.lines.join('\n'))?.[0] ?? '';
    const { status } = await caller(url, minted).get(`/v1/intents/${crypto.randomUUID()}`);
    expect(status).to.equal(404);
    expect((await tokenFor(url, await credentialsIn(narrow))).scope).to.equal('api webhooks');
    expect(wrong.lines.join('\n')).not.to.include('csk_');
    expect(await interrupt(running)).to.deep.equal({ code: 0, signal: null });
    expect(await database()).to.equal(null);
  });
});

/** The scopes of an app that acts for its own users only. */
const ORDINARY = ['api', 'webhooks', 'reads', 'trading', 'payouts:write'];

/** The credentials of an app that a process prints. */
async function credentialsIn(printing: Running): Promise<{ client_id: string; client_secret: string }> {
  const line = async (value: RegExp) => value.exec(await printing.waitForLine(value))?.[0] ?? '';

  return { client_id: await line(/\bapp_\S+/), client_secret: await line(/\bcsk_\S+/) };
}

async function tokenFor(url: string, credentials: Record<string, string>): Promise<{ scope: string }> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials });
  const response = await fetch(`${url}/v2/oauth/token`, { method: 'POST', body });
  return (await response.json()) as { scope: string };
}

const word = (line: string) => line.trim().split(/\s+/).at(-1) ?? '';
