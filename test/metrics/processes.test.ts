import { createServer } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase } from '../support/postgres.ts';
import { type Running, startProgram, until } from '../support/processes.ts';
import { readScrape } from '../support/scrape.ts';
import { testSettings } from '../support/service.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };

const QUEUE = { pool: 'queue_trading' };

describe('processes of the service', function () {
  this.timeout(60_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const start = (program: 'web' | 'worker', more: Record<string, string>) =>
    startProgram(program, testSettings(database.url, NOWHERE, { LOG_LEVEL: 'info', ...more }));
  const addressOf = async (process: Running) => {
    const { metrics_port } = JSON.parse(await process.waitForLine(/metrics server is listening/)) as {
      metrics_port: number;
    };
    return `http://127.0.0.1:${metrics_port}`;
  };

  it('serve their own metrics and readiness on separate ports', async () => {
    const processes = [start('web', { METRICS_PORT: '0' }), start('worker', { METRICS_PORT: '0' })];
    const [web = '', worker = ''] = await Promise.all(processes.map(addressOf));
    const scrape = async (url: string) => readScrape(await (await fetch(`${url}/metrics`)).text());
    await until('the worker to be known', async () => (await scrape(web)).value('tps_workers_alive') === 1);
    await until('web to listen', async () => (await scrape(web)).value('tps_listen_connected') === 1);
    await until(
      'the worker to have its pools',
      async () => (await scrape(worker)).value('tps_pool_limit', QUEUE) !== undefined,
    );
    const [ofWeb, ofWorker] = await Promise.all([scrape(web), scrape(worker)]);
    const ready = await Promise.all([web, worker].map(async (url) => (await fetch(`${url}/readyz`)).status));
    for (const { kill } of processes) kill('SIGTERM');
    const exits = await Promise.all(processes.map(({ exited }) => exited));

    expect(ready).to.deep.equal([200, 200]);
    expect(ofWeb.value('tps_listen_connected')).to.equal(1);
    expect(ofWorker.value('tps_listen_connected')).to.equal(undefined);
    expect(
      [ofWeb, ofWorker].map(({ text }) => /tps_build_info\{version="\d[^"]*",process="(\w+)"\} 1/.exec(text)?.[1]),
    ).to.deep.equal(['web', 'worker']);
    expect([ofWeb, ofWorker].map(({ value }) => value('tps_database_up'))).to.deep.equal([1, 1]);
    expect(ofWeb.value('tps_pool_limit', { pool: 'web' })).to.equal(10);
    expect(ofWorker.value('tps_pool_limit', QUEUE)).to.equal(9);
    expect(exits).to.deep.equal([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
  });

  it('show the alerts of their log lines, so that a rule watches settings of another deployment', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    await pool.query(`
      insert into partners (id, name) values ('ptn_1', 'Acme');
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('former_1', 'former', 1, 'ptn_1', gen_random_uuid(), 'crypto', 10000, 'active')`);
    await pool.end();

    const worker = start('worker', { METRICS_PORT: '0' });
    const url = await addressOf(worker);
    await worker.waitForLine(/"alert":"entity_unknown"/);
    const shown = readScrape(await (await fetch(`${url}/metrics`)).text());
    worker.kill('SIGKILL');

    const alerts = (alert: string) => shown.value('tps_alert_lines_total', { alert });
    expect([alerts('entity_unknown'), alerts('order_filled_again'), alerts('processor_unknown')]).to.deep.equal([
      ...[1, 0, undefined],
    ]);
  });

  it('exit with the name of the setting when their metrics port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const METRICS_PORT = String((other.address() as { port: number }).port); // it listens on TCP

    const processes = [start('web', { METRICS_PORT }), start('worker', { METRICS_PORT })];
    const exits = await Promise.all(processes.map(({ exited }) => exited));
    other.close();

    expect(exits.map(({ code }) => code)).to.deep.equal([1, 1]);
    for (const { lines } of processes)
      expect(lines.join('\n')).to.include(
        `Port ${METRICS_PORT} is taken. Set METRICS_PORT, or METRICS_PORT=0 for any.`,
      );
  });
});
