import { expect } from 'chai';
import { sql } from 'slonik';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { readScrape } from '../support/scrape.ts';
import { startService, type TestService } from '../support/service.ts';

describe('log lines', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('report a request once, with the ids that link it to its effects', async () => {
    const trader = await service.trader();

    const reply = await trader.post('/v1/orders/netvenue', market(), { headers: { 'X-Request-Id': 'one-request' } });
    const intentId = String(reply.headers['intent-id']);
    const requests = () => linesOf({ request_id: 'one-request' }).filter((line) => 'operation' in line);
    const ended = { task: 'network/place', intent_id: intentId, outcome: 'succeeded' }; // calls of the task have lines, too
    await until('the task to have its line', () => linesOf(ended).length > 0);
    await until('the request to have its line', () => requests().length > 0); // written once the response was sent

    const [request, ...more] = requests();
    expect(more).to.deep.equal([]);
    expect(request).to.include({
      level: 30,
      operation: 'submitNetvenueOrder',
      caller: 'partner',
      method: 'POST',
      status: 200,
    });
    expect(request).to.include({ intent_id: intentId });
    expect(request?.ms).to.be.a('number').above(0);
    const [task, ...others] = linesOf({ intent_id: intentId }).filter((line) => 'outcome' in line);
    expect(others).to.deep.equal([]);
    expect(task).to.include({ level: 30, task: 'network/place', outcome: 'succeeded', attempt: 1 });
    expect(task?.ms).to.be.a('number');
  });

  it('report every call to an upstream once, and name the request and the tenant in each line of the work', async () => {
    const trader = await service.trader();
    const headers = { 'X-Request-Id': 'a-slow-order' };
    service.miner.faults.add({ kind: 'accept_then_drop', route: 'POST', times: 1 });

    const reply = await trader.post('/v1/orders/netvenue', market(), { headers });
    const intent = { intent_id: String(reply.headers['intent-id']) };
    await until('it to be settled', () => linesOf({ ...intent, outcome: 'succeeded' }).length > 0);

    const sent = linesOf({ ...intent, call: 'submit' });
    const lookUps = linesOf({ ...intent, upstream: 'netvenue', result: 'found' });
    expect(sent).to.have.length(1);
    expect(sent[0]).to.include({ upstream: 'netvenue', result: 'unknown', task: 'network/place' });
    expect(sent[0]?.cause).to.be.a('string');
    expect(sent[0]?.ms).to.be.a('number');
    expect(lookUps.length, 'reads with a response').to.be.above(0);
    expect(lookUps[0]).to.include({ status: 200 });
    const outcomes = linesOf(intent).flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
    expect(outcomes[0]).to.equal('in_doubt');
    expect(outcomes).not.to.include('done');
    const { request_id, tenant } = linesOf({ ...intent, operation: 'submitNetvenueOrder' })[0] ?? {};
    expect(request_id).to.equal('a-slow-order');
    for (const line of [...sent, ...lookUps, ...linesOf({ ...intent, outcome: 'succeeded' })])
      expect(line).to.include({ request_id, tenant, task: 'network/place' });
  });

  it('report a task that throws once, with its duration and its job, and count it', async () => {
    const jobId = await service.db.oneFirst(sql.unsafe`
      select id from graphile_worker.add_job('network/place', json_build_object('intent_id', 'no uuid'), max_attempts => 1)`);
    await until('it to have thrown', () => linesOf({ outcome: 'threw' }).length > 0);
    await until('it to be abandoned', () =>
      service.db.exists(sql.unsafe`select from queue_jobs where locked_at is null and attempts = max_attempts`),
    );

    const about = service.log.lines.filter((line) => JSON.stringify(line).includes('no uuid') || 'err' in line);
    const scraped = readScrape(await service.runtime.metrics.scrape());
    expect(about).to.have.length(1);
    expect(about[0]).to.include({
      level: 50,
      msg: 'task threw',
      task: 'network/place',
      intent_id: 'no uuid',
      outcome: 'threw',
      attempt: 1,
    });
    expect(about[0]).to.include({ job: String(jobId) });
    expect(about[0]?.ms).to.be.a('number');
    expect(scraped.value('tps_task_duration_seconds_count', { task: 'network/place', outcome: 'threw' })).to.equal(1);
  });

  const linesOf = (members: Record<string, unknown>) =>
    service.log.lines.filter((line) => Object.entries(members).every(([name, value]) => line[name] === value));
});
