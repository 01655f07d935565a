import { expect } from 'chai';
import { sql } from 'slonik';
import { readConfig } from '../../../src/config.ts';
import { openMetrics } from '../../../src/metrics/registry.ts';
import { startWeb } from '../../../src/runtime/web-process.ts';
import { startWorker } from '../../../src/runtime/worker-process.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { earner, payingApp } from '../../support/earning.ts';
import { type Money, PROCESSOR, startMoney, tier25k } from '../../support/money.ts';
import { until } from '../../support/processes.ts';
import { logLines } from '../../support/service.ts';

/** As of staging, or of the company's other business: it works, and none of our objects are there. */
describe('processes whose key is of another account of the processor', function () {
  this.timeout(60_000);
  let service: Money;
  let other: ProcessorUpstream;
  before(async () => {
    service = await startMoney();
    other = await startProcessorUpstream({ ...PROCESSOR, accountId: 'acct_other' });
  });
  after(async () => {
    await service.stop();
    await other.close();
  });

  const config = () => readConfig({ ...service.settings, PROCESSOR_URL: other.url, PORT: '0' });
  const told = (lines: ReturnType<typeof logLines>['lines']) =>
    until('the alert', () => lines.find(({ alert }) => alert === 'processor_unknown'));

  it('send nothing there: no payout account is taken for closed and no payout fails, and the alert says why', async () => {
    const user = await earner(service, await payingApp(service), 900);
    const payoutId = await user.request(20_000);
    await service.stopWorkers();
    const { lines, logger } = logLines();

    const metrics = openMetrics();
    const worker = await startWorker(config(), logger, metrics);
    const alert = await told(lines);
    const submitted = await user.ask('POST', `/v2/payouts/${payoutId}/submit`, { headers: { Prefer: 'wait=3' } });
    const [account] = (await user.ask('GET', '/v2/connect/accounts')).body;
    const scraped = await metrics.scrape();
    await worker.stop();
    await service.startWorker();

    expect(alert).to.deep.include({ level: 50, account: { id: 'acct_other', isLive: false } });
    expect(scraped, 'as rejected credentials, which page').to.match(
      /tps_upstream_auth_rejections_total\{upstream="processor",others="none"\} [1-9]/,
    );
    expect(submitted.body.error).to.equal(undefined);
    expect(account).to.include({ payouts_enabled: true });
    expect(other.ledger.entries()).to.deep.equal([]);
    await user.payoutIs(payoutId, 'transferred');
  });

  it('leave the work to a process whose key is of ours', async () => {
    const { lines, logger } = logLines();
    const worker = await startWorker(config(), logger);
    await told(lines);
    const leaves = async () => {
      expect((await service.buyer.ask('POST', '/v2/payments/checkout', { json: tier25k })).status).to.equal(200);
      return service.db.exists(sql.unsafe`select from processes p where p.paused = '{processor}'`);
    };

    await until('it to leave it', leaves);
    const refused = () => lines.filter(({ cause }) => cause === 'the key is of another account').length;
    const before = refused();
    for (let n = 0; n < 5; n++) await leaves();
    await worker.stop();

    expect(before).to.be.above(0);
    expect(refused()).to.equal(before);
  });

  it('say so and go on, web too; the account that was noted first stays ours', async () => {
    const { lines, logger } = logLines();

    const web = await startWeb(config(), logger);
    await told(lines);
    const live = await fetch(`${web.url}/healthz`);
    await web.stop();
    const known = await service.db.any(sql.unsafe`select a.id, a.is_live from processor_accounts a`);
    const networks = await service.db.anyFirst(sql.unsafe`select n.setting from own_networks n order by 1`);

    expect(live.status).to.equal(200);
    expect(known).to.deep.equal([{ id: 'acct_sandbox', is_live: false }]);
    expect(
      networks,
      'a process of the previous release does not start with a row of another setting, and shows its value',
    ).to.deep.equal(['EXVENUE_NETWORK', 'REGISTRAR_NETWORK']);
  });
});
