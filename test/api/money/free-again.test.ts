import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';

const idRow = z.object({ id: z.string(), intent_id: z.string() });

describe('openFreeAccount of an account that has failed and is requested again between two looks at it', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ notified: false });
    await service.stopWorkers();
  });
  after(() => service.stop());

  it('waits for what an operator has requested', async () => {
    const { db, buyer } = service;
    const opening = buyer.ask('POST', '/v2/payments/free', { json: tierDemo });
    const { id, intent_id } = await eventually(() =>
      db.maybeOne(sql.type(idRow)`select id, intent_id from prop_accounts where user_id = ${buyer.userId}`),
    );

    await db.transaction(async (tx) => {
      await tx.query(sql.unsafe`
        select settle_intent(id, fence, 'failed', '{"problem": {"code": "VENUE_REJECTED"}}') from intents where id = ${intent_id}`);
      const verdict = await tx.oneFirst(sql.type(z.object({ verdict: z.string() }))`
        select provision_again(${id}, 'admin:test', gen_random_uuid(), 60, 'a test') verdict`);
      expect(verdict).to.equal('done');
    });
    await service.startWorker();

    const { status, body } = await opening;
    expect([status, body.id, body.status]).to.deep.equal([200, id, 'evaluation']);
  });
});
