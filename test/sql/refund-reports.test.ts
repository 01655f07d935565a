import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/**
 * A report, at seconds by the processor's clock: a charge's refunds in total, an attempt of the buyer that failed, a charge too, or a refund that was
 * made then. `accept`: an operator reinstates.
 */
type Report =
  | ['charge', cents: number, saidS: number]
  | ['attempt', saidS: number]
  | ['refund', id: string, cents: number, status: string, madeS: number, saidS: number]
  | ['accept'];
type Case = [what: string, reports: Report[], refunded: number, open: number];

const r1: Report = ['refund', 're_1', 100, 'succeeded', 10, 10];
const r2: Report = ['refund', 're_2', 50, 'succeeded', 12, 12];
const r2Failed = (saidS: number): Report => ['refund', 're_2', 50, 'failed', 12, saidS];

const CASES: Case[] = [
  ['a refund, and then the charge', [r1, ['charge', 100, 11]], 100, 100],
  ['the charge, and then its refund', [['charge', 100, 11], r1], 100, 100],
  ['a refund that was made after the charge was reported', [['charge', 100, 11], r2], 150, 150],
  ['refunds without their charge', [r1, r2], 150, 150],
  [
    'refunds, their charge, and an attempt that had failed before',
    [['attempt', 5], r1, r2, ['charge', 150, 13]],
    150,
    150,
  ],
  [
    'a refund after its charge was reported, and an attempt that had failed',
    [['attempt', 5], ['charge', 100, 11], r1, r2],
    150,
    150,
  ],
  [
    'a charge that is reported late',
    [
      ['charge', 150, 13],
      ['charge', 100, 11],
    ],
    150,
    150,
  ],
  ['a refund that failed after the charge counted it', [r1, r2, ['charge', 150, 13], r2Failed(20)], 100, 100],
  ['a refund that failed before the charge was reported again', [r1, r2, r2Failed(20), ['charge', 100, 21]], 100, 100],
  [
    'a refund that was made after the charge was reported, and failed',
    [['charge', 100, 11], r2, r2Failed(20)],
    100,
    100,
  ],
  ['a refund that failed, reported first', [r2Failed(20), r2], 0, 0],
  ['a refund that was canceled', [['refund', 're_1', 100, 'canceled', 10, 11]], 0, 0],
  [
    'a refund that was pending, and was canceled',
    [
      ['refund', 're_1', 100, 'pending', 10, 10],
      ['refund', 're_1', 100, 'canceled', 10, 11],
    ],
    0,
    0,
  ],
  ['a refund that is pending, also late', [r1, ['refund', 're_1', 100, 'pending', 10, 9]], 100, 100],
  ['what an operator accepted', [r1, ['charge', 100, 11], ['accept']], 100, 0],
  ['one more after it was accepted', [r1, ['accept'], r2], 150, 50],
  [
    'one more after it was accepted, by the charge',
    [r1, ['charge', 100, 11], ['accept'], ['charge', 150, 13]],
    150,
    50,
  ],
  [
    'what an operator accepted by the charge, which counts it no more before its refund is said to have failed',
    [['charge', 100, 11], ['accept'], r1, ['charge', 0, 20]],
    100,
    0,
  ],
  [
    'another one after the accepted one failed: it was not accepted',
    [['charge', 50, 12], r2, ['accept'], r2Failed(20), ['refund', 're_3', 50, 'succeeded', 30, 30]],
    50,
    50,
  ],
];

describe('what was refunded of a payment, by reports in any order', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      delete from payment_losses;
      select write_payment('pay_1', 'succeeded', now(), 5000, 'usd', false, true, now());
      update prop_accounts set status = 'provisioning'`);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  const note = (loss: object, saidS: number) =>
    intentDb.query(`select note_loss('pay_1', $1, $2)`, [{ currency: 'usd', ...loss }, saidS * 1_000]);
  function apply(report: Report): Promise<unknown> {
    if (report[0] === 'accept') return intentDb.query(`select reinstate_account('prop_1', 'op', 'a courtesy')`);
    if (report[0] === 'attempt') return note({ kind: 'charge', id: 'ch_0', cents: 0 }, report[1]);
    if (report[0] === 'charge') return note({ kind: 'charge', id: 'ch_1', cents: report[1] }, report[2]);
    const [kind, id, cents, status, madeS, saidS] = report;
    return note({ kind, id, cents, status, made_at_ms: madeS * 1_000 }, saidS);
  }

  for (const [what, reports, refunded, open] of CASES)
    it(`${what}: ${refunded}, of which ${open} stop the account`, async () => {
      for (const report of reports) await apply(report);

      const [row] = await intentDb.query(`
        select m.refunded_cents as refunded, l.open_refunds::integer as open, a.status
        from payments p
        cross join lateral payment_money(p) m
        cross join lateral losses_of(p.id) l
        join prop_accounts a on a.payment_id = p.id`);
      expect(row).to.deep.equal({ refunded, open, status: open > 0 ? 'eliminated' : 'provisioning' });
    });
});
