import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { effectsOf, market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const LONGER_THAN_A_JOB_WAITS_MS = 2_500;

/** Kubernetes starts the pods of a version together with its release. */
describe('a worker that starts before its release', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  /** What the release of this version will bring, or not yet. */
  const rename = async (from: string, to: string) => {
    await service.db.query(sql.unsafe`
      alter function ${sql.identifier([from])} (uuid, integer, text, jsonb, double precision) rename to ${sql.identifier([to])}`);
    await service.db.query(sql.unsafe`update definitions set name = ${to} where name = ${from}`);
  };

  it('sends nothing whose result it could not record, and begins once the release is there', async () => {
    const trader = await service.trader();
    await service.stopWorkers();
    await rename('settle_intent', 'settle_intent_before');
    const reply = await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' });

    const worker = await service.startWorker();
    await sleep(LONGER_THAN_A_JOB_WAITS_MS);
    const early = effectsOf(service, trader);
    const checks = await worker.runtime.readiness.failing();
    await rename('settle_intent_before', 'settle_intent');
    const order = await trader.poll(reply);

    expect(checks).to.deep.equal(['migrations']);
    expect(early).to.deep.equal([]);
    expect(order).to.include({ status: 'completed' });
    expect(effectsOf(service, trader)).to.have.length(1);
  });
});
