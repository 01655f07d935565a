import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const RECEIVED = `select write_payment('pay_1', 'succeeded', now(), 5000, 'usd', false, true, now())`;
const refund = (cents: number) =>
  `select note_loss('pay_1', '{"kind": "refund", "id": "re_${cents}", "cents": ${cents}, "currency": "usd", "status": "succeeded"}', 1000)`;
const ACCEPTED = `select reinstate_account('prop_1', 'op', 'a courtesy')`;
const unread = (type: string) => `
  update processor_events set type = '${type}', outcome = 'unreadable', acted_at = now();
  select settle_money('pay_1')`;
const DISPUTE = 'charge.dispute.created';

describe('the money of a payment', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`delete from payment_losses; update prop_accounts set status = 'provisioning'`);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  for (const { what, steps, makes, stop } of [
    { what: 'that was received', steps: [RECEIVED], makes: true, stop: null },
    { what: 'that was never received', steps: [], makes: false, stop: null },
    { what: 'of which a part was refunded', steps: [RECEIVED, refund(100)], makes: false, stop: 'refunded' },
    {
      what: 'of which a part was, which was accepted',
      steps: [RECEIVED, refund(100), ACCEPTED],
      makes: true,
      stop: null,
    },
    {
      what: 'of which all was, which was accepted',
      steps: [RECEIVED, refund(5_000), ACCEPTED],
      makes: false,
      stop: null,
    },
    {
      what: 'about which a dispute cannot be read',
      steps: [RECEIVED, unread(DISPUTE)],
      makes: false,
      stop: 'disputed',
    },
    {
      what: 'about which a refund cannot be read',
      steps: [RECEIVED, unread('refund.failed')],
      makes: false,
      stop: 'refunded',
    },
    {
      what: 'about which something else cannot be read',
      steps: [RECEIVED, unread('payment_intent.canceled')],
      makes: false,
      stop: 'under_review',
    },
    {
      what: 'of which a part was, and so',
      steps: [RECEIVED, refund(100), unread(DISPUTE)],
      makes: false,
      stop: 'disputed',
    },
  ])
    it(`${what} ${makes ? 'makes' : 'makes no'} account; ${stop ?? 'nothing'} stops one`, async () => {
      for (const step of steps) await intentDb.query(step);

      const [row] = await intentDb.query(`select has_its_money(id) as makes, stopped_for as stop from payments`);

      expect(row).to.deep.equal({ makes, stop });
    });

  for (const [steps, status] of [
    [[], 'failed'],
    [[RECEIVED], 'succeeded'],
  ] as const)
    it(`is ${status} if its checkout fails after ${steps.length} reports of a receipt`, async () => {
      for (const step of steps) await intentDb.query(step);

      await intentDb.query(`select fail_checkout(intent_id) from payments`);

      expect(await intentDb.query('select status from payments')).to.deep.equal([{ status }]);
    });

  it('has the time at which the last part of it came back, however often it is settled', async () => {
    for (const step of [RECEIVED, refund(5_000)]) await intentDb.query(step);
    await intentDb.query(`update payments set returned_at = '2026-01-01', refunded_at = '2026-01-01'`);

    await intentDb.query(`select settle_money('pay_1')`);

    const at = new Date('2026-01-01');
    expect(await intentDb.query('select returned_at, refunded_at from payments')).to.deep.equal([
      { returned_at: at, refunded_at: at },
    ]);
  });
});
