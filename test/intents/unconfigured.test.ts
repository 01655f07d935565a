import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { type RunningWorker, startWorker } from '../../src/runtime/worker-process.ts';
import { eventually, type Money, startMoney, tier25k } from '../support/money.ts';

describe('a worker without a processor', () => {
  let service: Money;
  let worker: RunningWorker;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '600' } });
    await service.stopWorkers();
    const { PROCESSOR_SECRET_KEY: _, PROCESSOR_WEBHOOK_SECRET: __, ...settings } = service.settings;
    worker = await startWorker(readConfig(settings), service.log.logger, service.runtime.metrics);
  });
  after(async () => {
    await worker.stop();
    await service.stop();
  });

  it('ends what was submitted as expired at its deadline, with nothing sent', async () => {
    const headers = { Prefer: 'respond-async' };
    const reply = await service.buyer.ask('POST', '/v2/payments/checkout', { json: tier25k, headers });

    const intent = await eventually(async () => {
      const { body } = await service.tenant.ask('GET', `/v2/intents/${reply.headers.get('intent-id')}`);
      return body.settled_at && body;
    });

    expect(intent).to.include({ state: 'expired', effect: 'none', sending_at: null });
    expect(intent.problem).to.include({ code: 'V2_PAYMENTS_NOT_CONFIGURED' });
    expect(service.processor.ledger.entries()).to.deep.equal([]);
  });
});
