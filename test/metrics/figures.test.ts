import { expect } from 'chai';
import { sql } from 'slonik';
import { listOperations } from '../../src/contract/document.ts';
import { listTaskNames } from '../../src/intents/task.ts';
import { withMetrics } from '../../src/metrics/serve.ts';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { readScrape, type Scraped } from '../support/scrape.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const REJECTED = { trade_pair: 'EURUSD', quantity: 1 };

describe('the metrics of a process', () => {
  let service: TestService;
  let served: Awaited<ReturnType<typeof withMetrics>>;
  let before_: Scraped;
  let after_: Scraped;

  before(async () => {
    service = await startService({ settings: { METRICS_PORT: '0' } });
    served = await withMetrics({ runtime: service.runtime, stop: async () => {} }, ['web', 'worker']);
    const trader = await service.trader();
    before_ = await scrape();
    for (let n = 0; n < 3; n++) await trader.post(ORDERS, market({ leverage: 0.01 }));
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' }); // the decision is left to the venue
    await trader.post(ORDERS, market(REJECTED));
    await trader.get('/nowhere');
    const orders = { task: 'network/place', outcome: 'done' };
    await until('every task to have ended', async () => {
      const now = await scrape();
      return now.value('tps_task_duration_seconds_count', orders) === 4;
    });
    after_ = await scrape();
  });
  after(async () => {
    await served.stop();
    await service.stop();
  });

  const scrape = async () => readScrape(await (await fetch(`${served.url}/metrics`)).text());
  const increase = (name: string, labels: Record<string, string>) =>
    (after_.value(name, labels) ?? 0) - (before_.value(name, labels) ?? 0);

  it('include every family, with a help text and a name that ends in its unit', () => {
    const families = after_.families.filter((name) => name.startsWith('tps_'));

    expect(families).to.have.length.above(20);
    for (const family of families) expect(after_.text).to.match(new RegExp(`^# HELP ${family} [A-Z0-9].{20,}`, 'm'));
    expect(after_.families).to.include.members([
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
    ]);
    expect(families.filter((name) => /_(ms|millis|count|minutes)$/.test(name))).to.deep.equal([]);
  });

  it('count requests by operation, method and status class', () => {
    const requests = (labels: Record<string, string>) => increase('tps_http_request_duration_seconds_count', labels);

    expect(requests({ operation: 'submitNetvenueOrder', method: 'POST', status: '2xx' })).to.equal(3);
    expect(requests({ operation: 'submitNetvenueOrder', method: 'POST', status: '4xx' })).to.equal(1);
    expect(requests({ operation: 'none', method: 'any', status: '4xx' })).to.equal(1);
  });

  it('count the venue’s results, with the duration of the calls', () => {
    const submits = (result: string) =>
      increase('tps_upstream_call_duration_seconds_count', { upstream: 'netvenue', call: 'submit', result });

    expect(submits('accepted')).to.equal(3);
    expect(submits('rejected')).to.equal(1);
    expect(increase('tps_upstream_call_duration_seconds_sum', { upstream: 'netvenue', call: 'submit' })).to.be.within(
      0.001,
      60,
    );
  });

  it('count intents by result, with the time since their acceptance', () => {
    const ended = (ending: string) =>
      increase('tps_intent_settle_duration_seconds_count', { kind: 'network/place', ending });

    expect(ended('succeeded')).to.equal(3);
    expect(ended('failed')).to.equal(1);
    expect(ended('expired')).to.equal(0);
    expect(increase('tps_intent_settle_duration_seconds_sum', { kind: 'network/place' })).to.be.within(0.001, 60);
  });

  it('count tasks by outcome', () => {
    expect(increase('tps_task_duration_seconds_count', { task: 'network/place', outcome: 'done' })).to.equal(4);
    expect(increase('tps_task_duration_seconds_count', { outcome: 'threw' })).to.equal(0);
  });

  it('show the pools, the listening connection and the streams of the process', () => {
    for (const pool of ['web', 'worker', 'queue_trading', 'queue_outbound'])
      expect(after_.value('tps_pool_connections', { pool }), pool).to.be.within(
        0,
        after_.value('tps_pool_limit', { pool }) ?? 0,
      );
    expect(after_.value('tps_pool_waiting')).to.equal(0);
    expect(after_.value('tps_listen_connected')).to.equal(1);
    expect(after_.value('tps_streams_open')).to.equal(0);
  });

  it('show what only the database knows, tasks without a job as nothing', () => {
    expect(after_.value('tps_database_up')).to.equal(1);
    expect(after_.value('tps_workers_alive')).to.equal(1);
    expect(after_.value('tps_unfulfilled_payments')).to.equal(0);
    for (const task of listTaskNames())
      expect(after_.value('tps_queue_jobs', { task, state: 'dead' }), task).to.equal(0);
    expect(after_.value('tps_deliveries', { state: 'failed' })).to.equal(0);
    expect(after_.value('tps_webhook_endpoints', { state: 'active' })).to.equal(0);
  });

  it('have labels from closed sets, without ids, owners or addresses', async () => {
    const operations = [...listOperations().map(({ id }) => String(id)), 'none'];
    const tasks = [...listTaskNames(), 'other'];
    const known: Record<string, (text: string) => boolean> = {
      operation: (text) => operations.includes(text),
      task: (text) => tasks.includes(text),
      kind: (text) => tasks.includes(text) || !text.includes('/'), // Node's own labels: minor, major
    };
    const partners = await service.db.anyFirst(sql.unsafe`select id from partners`);

    for (const { labels } of after_.samples)
      for (const [label, text] of Object.entries(labels))
        expect(known[label]?.(text) ?? true, `${label}=${text}`).to.equal(true);
    for (const id of partners) expect(after_.text).not.to.include(String(id));
    expect(after_.text).not.to.match(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });
});

describe('credentials rejected by an upstream', () => {
  it('are a figure before the first rejection, so that this one is an increase', async () => {
    const service = await startService();

    const scraped = readScrape(await service.runtime.metrics.scrape());
    await service.stop();

    for (const upstream of ['netvenue', 'exvenue', 'registrar'])
      expect(scraped.value('tps_upstream_auth_rejections_total', { upstream }), upstream).to.equal(0);
  });

  it('are counted for that upstream, and logged as an error without the credentials', async () => {
    const service = await startService({ settings: { NETVENUE_MINER_KEY: 'wrong-key-of-ours' } });
    const partner = await service.partner();

    const reply = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
    const scraped = readScrape(await service.runtime.metrics.scrape());
    await service.stop();

    const alerts = service.log.lines.filter(({ alert }) => alert === 'credentials_rejected');
    expect(reply.status).to.equal(502);
    expect(scraped.value('tps_upstream_auth_rejections_total', { upstream: 'netvenue' })).to.equal(1);
    expect(scraped.value('tps_upstream_auth_rejections_total')).to.equal(1);
    expect(alerts).to.have.length(1);
    expect(alerts[0]).to.include({ level: 50, upstream: 'netvenue', call: 'createSubaccount' });
    expect(JSON.stringify(service.log.lines)).not.to.include('wrong-key-of-ours');
  });
});
