import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { earner, endWithoutProof, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { type Money, startMoney } from '../../support/money.ts';

const REASON = { json: { reason: 'the processor was away for a day' } };
const LATER = { headers: { Prefer: 'respond-async' } };

describe('a refund whose effect nothing proves', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0' } });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());

  const undecided = async () => {
    const { body } = await operator.ask('GET', '/v2/admin/intents?state=undecided');
    return body.map(({ intent_id }: { intent_id: string }) => intent_id);
  };
  const pages = async () =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select a.count from ops.attention a where a.what = 'undecided_intents'`);

  it('is listed, and pages, until its safe action is done: it is refunded again', async () => {
    const { paymentIntent } = await earner(service, app, 500);
    const payment = await service.db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select p.id from payments p where p.processor_payment_intent_id = ${paymentIntent}`);
    const path = `/v2/admin/payments/${payment}/refund`;
    service.processor.faults.add({ kind: 'status_500', route: '/v1/refunds' });
    await operator.ask('POST', path, { ...REASON, ...LATER });
    const intent = await endWithoutProof(service, 'payments/refund');
    service.processor.faults.clear();

    expect(await undecided()).to.deep.equal([intent]);
    expect(await pages()).to.equal(1);
    expect((await operator.ask('POST', path, REASON)).body).to.include({ status: 'succeeded' });

    expect(await undecided()).to.deep.equal([]);
    expect(await pages()).to.equal(0);
  });
});
