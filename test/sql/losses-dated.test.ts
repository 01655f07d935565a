import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const [MADE_S, BETWEEN_S, ENDED_S] = [10, 20, 30];

/** A report of a loss that was made at `MADE_S`, at seconds by the processor's clock. `left`: what it takes, if it has given a part back. */
type Report = { kind: 'charge' | 'refund' | 'dispute'; status?: string; saidS: number; left?: number };
const was = (kind: Report['kind'], status: string): Report => ({ kind, status, saidS: MADE_S });
const became = (kind: Report['kind'], status: string): Report => ({ kind, status, saidS: ENDED_S });

/** What a loss of 100 took between both reports, and after them. */
const CASES: [what: string, reports: Report[], taken: number, left?: number][] = [
  [
    'a dispute that was lost for a part',
    [was('dispute', 'needs_response'), { ...became('dispute', 'lost'), left: 30 }],
    100,
    30,
  ],
  ['a dispute that was won', [was('dispute', 'needs_response'), became('dispute', 'won')], 100],
  ['a refund that failed', [was('refund', 'succeeded'), became('refund', 'failed')], 100],
  [
    'a refund that its charge counts, and that failed',
    [{ kind: 'charge', saidS: 11 }, became('refund', 'failed')],
    100,
  ],
  ['an inquiry that was closed', [was('dispute', 'warning_needs_response'), became('dispute', 'warning_closed')], 0],
  ['a dispute that was prevented', [became('dispute', 'prevented')], 0],
];

describe('a loss that was given back is in the ledger from when it was made until then', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      delete from payment_losses;
      select write_payment('pay_1', 'succeeded', now(), 5000, 'usd', false, true, to_timestamp(1));
      update prop_accounts set status = 'provisioning'`);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  const note = ({ kind, status, saidS, left }: Report) =>
    intentDb.query(`select note_loss('pay_1', $1, $2)`, [
      {
        ...{ kind, id: kind, cents: left ?? 100, currency: 'usd', status },
        ...(kind !== 'charge' && { made_at_ms: MADE_S * 1_000 }),
        ...(left !== undefined && { made_cents: 100 }),
      },
      saidS * 1_000,
    ]);
  async function takenAt(seconds: number): Promise<number> {
    const [row] = await intentDb.query<{ taken: number }>(
      `select coalesce(sum(l.amount), 0)::integer as taken
      from ledger_lines l
      where l.account in ('refunds', 'disputes') and l.said_at < to_timestamp($1)`,
      [seconds],
    );
    return row?.taken ?? Number.NaN;
  }

  for (const [what, reports, taken, left = 0] of CASES)
    for (const order of [reports, reports.toReversed()])
      it(`${what}, reported ${order === reports ? 'in order' : 'from its end'}: ${taken}, then ${left}`, async () => {
        for (const report of order) await note(report);

        expect([await takenAt(MADE_S), await takenAt(BETWEEN_S), await takenAt(ENDED_S + 1)]).to.deep.equal([
          0,
          taken,
          left,
        ]);
        const [account] = await intentDb.query('select status from prop_accounts');
        expect(account).to.deep.equal({ status: left > 0 ? 'eliminated' : 'provisioning' });
      });

  const emitted = async () => {
    await intentDb.query('set constraints all immediate; set constraints all deferred; savepoint another_commit');
    const events = await intentDb.query<{ cents: string }>(
      `select event_body(e)::jsonb -> 'data' ->> 'refunded_cents' as cents
      from events e
      where e.type = 'payment.refunded'
      order by e.position`,
    );
    return events.map(({ cents }) => cents);
  };

  it('is no news for the app where it is first reported with its end: as much is refunded as before', async () => {
    await note(became('refund', 'failed'));

    expect(await emitted()).to.deep.equal([]);
  });

  it('is news when it was reported, and when it has failed', async () => {
    await note(was('refund', 'succeeded'));
    const before = await emitted();
    await note(became('refund', 'failed'));

    expect([before, await emitted()]).to.deep.equal([['100'], ['100', '0']]);
  });
});
