import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

type Step = { verdict: string; held: { delivery_id: string } | null };

describe('a delivery that two transactions get at once', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      delete from webhook_attempts;
      delete from webhook_deliveries where id <> 'whd_1';
      delete from queue_jobs`);
  });
  afterEach(() => intentDb.close());

  const step = (lane: number) =>
    `select verdict, held from step_lanes('[{"n": 0, "endpoint_id": "whe_1", "lane": ${lane}}]')`;
  it('is sent by one of two lanes', async () => {
    await intentDb.query('update webhook_endpoints set lanes = 3');

    const { first, second } = await intentDb.beside<Step>(step(0), step(1));

    expect(first).to.have.nested.property('[0].held.delivery_id', 'whd_1');
    expect(second.map(({ held }) => held)).to.deep.equal([null]);
  });

  it('is not sent again by a lane that takes its worker for dead, while the response is recorded', async () => {
    await intentDb.query(`
      update webhook_endpoints set lanes = 1;
      update webhook_deliveries set state = 'sending', lane = 0, fence = 1, attempts = 2, taken_at = now()`);
    const said = { delivery_id: 'whd_1', fence: 1, ending: 'delivered', duration_ms: 5, status: 200 };

    const { second } = await intentDb.beside<Step>(
      `select end_attempts('${JSON.stringify([{ n: 0, endpoint_id: 'whe_1', said }])}')`,
      step(0),
    );

    expect(second.map(({ held }) => held)).to.deep.equal([null]);
    expect(await intentDb.query('select state from webhook_deliveries')).to.deep.equal([{ state: 'delivered' }]);
  });

  it('gets no second job for its lane, if that ends at this moment', async () => {
    await intentDb.query('update webhook_endpoints set lanes = 1');

    const { second } = await intentDb.beside(
      'update webhook_endpoints set lanes = 0',
      'select requeue_stranded_lanes() as found',
    );

    expect(second).to.deep.equal([{ found: 0 }]);
    expect(await intentDb.query('select from queue_jobs')).to.deep.equal([]);
  });
});
