import { accountIn, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';

describe('a payment that was paid before its checkout is known to be made', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({
      notified: false,
      settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' },
    });
  });
  after(() => service.stop());

  it('gets its account also where no event reports it, as in a restored database', async () => {
    const { ask } = await service.user(service.tenant);
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/payment_intents', times: 1 });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/events' });

    await ask('POST', '/v2/payments/checkout', { json: tier25k, headers: { Prefer: 'respond-async' } });

    const made = await eventually(async () =>
      service.processor.ledger.entries().find(({ kind }) => kind === 'payment_intent'),
    );
    await service.control('payment', { id: made.detail.id, to: 'succeeded' });

    await accountIn(ask, 'evaluation');
  });
});
