import { expect } from 'chai';
import { type IntentDatabase, WAITING } from '../support/intent-database.ts';
import { openPlacement, PLACEMENT } from '../support/placement.ts';

describe('an order of the exchange that two transactions change at once', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openPlacement();
  });
  after(() => intentDb.close());

  const CHANGES = {
    'a cancellation': `select cancel_exchange_orders('0x1', '{7}')`,
    'a correction of its exits': `select correct_exits('[{"id": "${PLACEMENT}", "trigger_status": "failed"}]')`,
  };
  for (const [name, change] of Object.entries(CHANGES))
    it(`keeps what was executed meanwhile: ${name}`, async () => {
      await intentDb.query(`
        delete from orders;
        insert into orders (id, venue, owner, trader, pair, handle, lifecycle, terms, executed)
        values ('${PLACEMENT}', 'exvenue', 'ptn_a', '0x1', 'BTC-USDC', '${PLACEMENT}', 'resting', '{}',
          '{"ex_order_id": "7", "status": "open", "filled_size": "1", "trigger_status": "placed"}')`);
      const [filling, changing] = [await intentDb.session(), await intentDb.session()];
      await filling.query('begin');
      await filling.query(`update orders set executed = executed || '{"filled_size": "2"}'`);
      const late = changing.query(change);
      while ((await intentDb.query(WAITING)).length === 0);
      await filling.query('commit');
      await late;

      const [order] = await intentDb.query<{ filled: string }>(
        `select executed ->> 'filled_size' as filled from orders`,
      );
      expect(order).to.deep.equal({ filled: '2' });
    });
});
