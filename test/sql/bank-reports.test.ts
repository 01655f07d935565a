import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/** What the processor shows of a payout to the bank; after a colon the payout that takes it back. */
type Report = `${string}` | `${string}:${string}`;
/** The verdict on the last report, the state of the leg, and where its money is. */
type Ending = [verdict: string, state: string, held: number, in_transit: number, bank: number];

const SENT: Ending = ['stale', 'sent', 0, 100, 0];
const PAID: Ending = ['applied', 'done', 0, 0, 100];
const RETURNED: Ending = ['applied', 'failed', 100, 0, 0];
const stale = ([, ...rest]: Ending): Ending => ['stale', ...rest];

const SEQUENCES: [reports: Report[], ending: Ending][] = [
  [['pending'], SENT],
  [['in_transit'], SENT],
  [['paid'], PAID],
  [['paid', 'paid'], stale(PAID)],
  [['paid', 'in_transit'], stale(PAID)],
  [['failed'], RETURNED],
  [['canceled'], RETURNED],
  [['failed', 'paid'], stale(RETURNED)],
  [['failed', 'failed'], stale(RETURNED)],
  [['paid', 'failed'], RETURNED],
  [['paid', 'failed', 'paid'], stale(RETURNED)],
  [['paid', 'reversed:po_back'], RETURNED],
  [['paid', 'reversed:po_back', 'kept:po_back'], PAID],
  [['paid', 'reversed:po_back', 'kept:po_back', 'reversed:po_back'], stale(PAID)],
  [['paid', 'reversed:po_back', 'kept:po_back', 'reversed:po_other'], RETURNED],
  [['paid', 'kept:po_back'], stale(PAID)],
  [['paid', 'kept:po_back', 'reversed:po_back'], stale(PAID)],
  [['kept:po_back'], SENT],
  [['paid', 'failed', 'kept:po_back'], stale(RETURNED)],
];

describe('the reports of a payout to the bank', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from recoveries');
    await intentDb.query(`
      update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
      update payouts set processor_transfer_id = 'tr_1', status = 'transferred';
      select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)));
      select note_holding('po_1', 'acct_1', 0, 'usd', '[{"id": "py_1", "net": 100, "at_ms": 0}]')`);
    const { id } = item();
    await intentDb.query(`select begin_payout_step('po_1', 'payout', $1)`, [{ id, deadline_s: 60 }]);
    await intentDb.query(`select note_step($1, 'po_bank', null, null, null)`, [id]);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  for (const [reports, ending] of SEQUENCES)
    it(`${reports.join(', ')}: ${ending[1]}`, async () => {
      let verdict: string | undefined;
      for (const report of reports) {
        const [status, back = null] = report.split(':');
        [{ verdict }] = (await intentDb.query<{ verdict: string }>(
          `select note_bank_payout('po_bank', $1, 100, 'usd', null, null, $2) as verdict`,
          [status, back],
        )) as [{ verdict: string }]; // as: one row
      }

      const [row] = await intentDb.query<Record<string, unknown>>(`
        select s.state, p.status, ledger_sum('po_1', '{held}', 'usd')::integer as held, ledger_sum('po_1', '{in_transit}', 'usd')::integer as in_transit,
          ledger_sum('po_1', '{bank}', 'usd')::integer as bank, ledger_sum('po_1', '{overdrawn}', 'usd')::integer as overdrawn
        from payout_steps s
        join payouts p on p.id = s.payout_id
        where s.processor_id = 'po_bank'`);
      const [, state, held, in_transit, bank] = ending;
      const status = { sent: 'transferred', done: 'completed', failed: 'failed' }[state];
      expect({ verdict, ...row }).to.deep.equal({
        verdict: ending[0],
        state,
        status,
        held,
        in_transit,
        bank,
        overdrawn: 0,
      });
    });

  for (const [what, cents, currency] of [
    ['another amount', 101, 'usd'],
    ['another currency', 100, 'eur'],
  ] as const)
    it(`of ${what} than was sent conclude nothing and move nothing`, async () => {
      const held = () =>
        intentDb.query(
          `
          select s.state, s.ended_at, p.status, ledger_sum('po_1', '{in_transit}', 'usd')::integer as in_transit, ledger_sum('po_1', '{bank}', $1)::integer as bank
          from payout_steps s
          join payouts p on p.id = s.payout_id
          where s.processor_id = 'po_bank'`,
          [currency],
        );
      const before = await held();

      for (const status of ['paid', 'failed', 'kept'])
        expect(
          await intentDb.query(`select note_bank_payout('po_bank', $1, $2, $3, null) as verdict`, [
            status,
            cents,
            currency,
          ]),
        ).to.deep.equal([{ verdict: 'unreadable' }]);

      expect(await held()).to.deep.equal(before);
      expect(before).to.have.nested.property('[0].in_transit', 100);
    });
});
