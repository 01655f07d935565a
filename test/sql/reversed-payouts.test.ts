import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const BANK_FAILED = `
  insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, state, ended_at, failure_reason)
  values (gen_random_uuid(), 'po_1', 'payout', 100, 'usd', 'failed', now(), 'account_closed');
  select settle_payout('po_1')`;

describe('a payout whose transfer comes back', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
      update payouts set processor_transfer_id = 'tr_1';
      select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)))`);
    await intentDb.query(BANK_FAILED);
  });
  afterEach(() => intentDb.close());

  const state = async () =>
    (
      await intentDb.query(`
        select p.status, p.failure_reason as why, m.reserved_cents as takes from payouts p, payout_money(p) m where p.id = 'po_1'`)
    )[0];
  const reverse = async () => {
    const [row] = await intentDb.query<{ verdict: string; intent_id: string }>(
      `select * from reverse_payout('po_1', 'op', 'asked', jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60))`,
    );
    return row;
  };

  it('uses earnings for what has not come back, and none in the end', async () => {
    expect(await state()).to.deep.equal({ status: 'failed', why: 'account_closed', takes: 100 });

    await intentDb.query(`select note_reversed('po_1', 30)`);
    expect(await state()).to.deep.equal({ status: 'failed', why: 'account_closed', takes: 70 });
    await intentDb.query(`select note_reversed('po_1', 100)`);
    expect(await state()).to.deep.equal({ status: 'reversed', why: 'transfer_reversed', takes: 0 });
  });

  it('is reversed once: while a reversal is under way, the next request returns it', async () => {
    const first = await reverse();

    expect(first?.verdict).to.equal('accepted');
    expect(await reverse()).to.deep.equal({ ...first, verdict: 'replayed' });
  });

  it('is not reversed if all of it has come back', async () => {
    await intentDb.query(`select note_reversed('po_1', 100)`);

    expect(await reverse()).to.deep.equal({ verdict: 'not_stranded', intent_id: null });
  });

  it('is not transferred again by its user, if it came back before it was sent to the bank', async () => {
    await intentDb.query(
      `update payout_steps set state = 'unsent' where step = 'payout'; select note_reversed('po_1', 100)`,
    );

    const [row] = await intentDb.query(
      `select verdict from submit_payout('po_1', 'app_1', 'usr_1', jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60), 1000)`,
    );

    expect(row).to.deep.equal({ verdict: 'V2_PAYOUT_REVERSED' });
  });
});
