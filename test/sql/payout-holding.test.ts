import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('what the processor shows of a transfer', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
      update payouts set processor_transfer_id = 'tr_1';
      select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)))`);
  });
  after(() => intentDb.close());

  it('is rejected as old if more of it was stored as reversed by a transaction that it waited for', async () => {
    const [newer, older] = [await intentDb.session(), await intentDb.session()];
    await newer.query('begin');
    await newer.query(`select note_reversed('po_1', 80)`);
    const late = older.query<{ ok: boolean }>(`select note_holding('po_1', 'acct_1', 50, 'usd', '[]') ok`);
    while ((await intentDb.query(WAITING)).length === 0);
    await newer.query('commit');

    expect(await late).to.deep.equal([{ ok: false }]);
    expect(await intentDb.query('select m.reversed_cents from payouts p, payout_money(p) m')).to.deep.equal([
      { reversed_cents: 80 },
    ]);
  });
});
