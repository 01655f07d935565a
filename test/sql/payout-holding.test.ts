import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const RECEIVED = { id: 'txn_1', net: 100, at_ms: 1 };
const GIVEN_BACK = { id: 'txn_2', net: -100, at_ms: 2 };
const TOMORROW_MS = Date.now() + 86_400_000;

describe('what the processor shows of a transfer', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
      update payouts set processor_transfer_id = 'tr_1';
      select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)))`);
  });
  afterEach(() => intentDb.close());

  const reversed = () => intentDb.query('select m.reversed_cents from payouts p, payout_money(p) m');

  it('is rejected as old if more of it was stored as reversed by a transaction that it waited for', async () => {
    const [newer, older] = [await intentDb.session(), await intentDb.session()];
    await newer.query('begin');
    await newer.query(`select note_reversed('po_1', 80)`);
    const late = older.query<{ ok: boolean }>(`select note_holding('po_1', 'acct_1', 50, 'usd', '[]') ok`);
    while ((await intentDb.query(WAITING)).length === 0);
    await newer.query('commit');

    expect(await late).to.deep.equal([{ ok: false }]);
    expect(await reversed()).to.deep.equal([{ reversed_cents: 80 }]);
  });

  it('is impossible if more came back than was transferred: nothing is written', async () => {
    expect(await intentDb.query(`select note_reversed('po_1', 101) ok`)).to.deep.equal([{ ok: false }]);
    expect(await reversed()).to.deep.equal([{ reversed_cents: 0 }]);
  });

  it('has to be read again once a part came back, until the movement of the account is known', async () => {
    const hold = (movements: object[]) =>
      intentDb.query(`select note_holding('po_1', 'acct_1', 100, 'usd', $1)`, [JSON.stringify(movements)]);
    const isUnread = async () =>
      (await intentDb.query<{ is_unread: boolean }>('select is_unread from payouts'))[0]?.is_unread;
    await intentDb.query(`update payouts set is_unread = false; select note_reversed('po_1', 100)`);
    const seen = [await isUnread()];

    for (const movements of [[], [RECEIVED, GIVEN_BACK]]) {
      await hold(movements);
      seen.push(await isUnread());
    }

    expect(seen).to.deep.equal([true, true, false]);
  });

  for (const { what, back, held, atMs, movements, verdict } of [
    { what: 'it holds', back: 0, held: 100, atMs: 0, movements: [RECEIVED], verdict: 'fixed' },
    {
      what: 'will be available tomorrow',
      back: 0,
      held: 100,
      atMs: TOMORROW_MS,
      movements: [RECEIVED],
      verdict: 'later',
    },
    { what: 'came back', back: 100, held: 0, atMs: 0, movements: [RECEIVED, GIVEN_BACK], verdict: 'reversed' },
    { what: 'is more than it received of it', back: 0, held: 101, atMs: 0, movements: [RECEIVED], verdict: 'reversed' },
    {
      what: 'it does not hold, though nothing came back',
      back: 0,
      held: 0,
      atMs: 0,
      movements: [],
      verdict: 'unreadable',
    },
  ])
    it(`gives for a payout to the bank of what ${what} the verdict ${verdict}`, async () => {
      const { id } = item();
      await intentDb.query(`select begin_payout_step('po_1', 'payout', $1)`, [{ id, deadline_s: 60 }]);

      const [fixed] = await intentDb.query(`select fix_bank_leg($1, $2, $3, 'usd', 'py_1', $4, $5) as verdict`, [
        ...[id, back, held, atMs],
        JSON.stringify(movements),
      ]);

      expect(fixed).to.deep.equal({ verdict });
    });

  it('is not paid to the bank before it is available, whoever asks for it', async () => {
    await intentDb.query(`update payouts set status = 'transferred', pay_after = now() + interval '1 hour'`);
    const steps = async () => {
      await intentDb.query(`select pay_arrived('po_1', $1)`, [{ id: item().id, deadline_s: 60 }]);
      return (await intentDb.query('select from payout_steps')).length;
    };
    expect(await steps()).to.equal(1);

    await intentDb.query(`update payouts set pay_after = now()`);

    expect(await steps()).to.equal(2);
  });
});
